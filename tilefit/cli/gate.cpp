// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/gate.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "tilefit/model/nearest.h"

namespace tilefit {
namespace {

constexpr int kMaxDepth = 100;  // of brackets

bool compare(long a, std::string_view op, long b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

class Parser {
 public:
  Parser(std::string_view text, const GateCounts& counts) : text_(text), counts_(counts) {}

  Result<bool> all() {
    const bool value = expression();
    if (!error_ && !rest().empty()) fail("cannot read '" + std::string(rest()) + "'");
    if (error_) return *error_;
    return value;
  }

 private:
  // Both sides are always read, so that a mistake is found wherever it stands.
  bool expression() {
    bool value = conjunction();
    while (accept("||")) value = conjunction() || value;
    return value;
  }

  bool conjunction() {
    bool value = term();
    while (accept("&&")) value = term() && value;
    return value;
  }

  bool term() {
    if (error_ || ++depth_ > kMaxDepth) return fail("too many brackets");
    const bool value = accept("!") ? !term() : accept("(") ? bracket() : comparison();
    --depth_;
    return value;
  }

  bool bracket() {
    const bool value = expression();
    if (!accept(")")) fail("a bracket is not closed");
    return value;
  }

  bool comparison() {
    const long left = count();
    for (std::string_view op : {"==", "!=", "<=", ">=", "<", ">"})
      if (accept(op)) return compare(left, op, number());
    return fail("a comparison such as '== 0' is missing");
  }

  long count() {
    std::size_t n = 0;
    const std::string_view from = rest();
    while (n < from.size() &&
           (std::isalnum(static_cast<unsigned char>(from[n])) || from[n] == '_' || from[n] == '.'))
      ++n;
    const std::string word(from.substr(0, n));
    text_.remove_prefix(n);
    auto found = counts_.find(word);
    if (found != counts_.end()) return found->second;
    std::vector<std::string_view> known;
    for (const auto& [key, value] : counts_)
      if (key.find('.') == std::string::npos) known.push_back(key);
    fail(word.empty() ? "a count is missing" : "unknown count '" + word + "'",
         suggest(word, known));
    return 0;
  }

  long number() {
    const std::string_view from = rest();
    long value = 0;
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value);
    if (error != std::errc{}) fail("a number is missing");
    text_.remove_prefix(static_cast<std::size_t>(end - from.data()));
    return value;
  }

  std::string_view rest() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size()));
    return text_;
  }

  bool accept(std::string_view word) {
    if (error_ || !rest().starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  bool fail(std::string what, std::string fix = "write it as \"over_limit == 0 && no_code == 0\"") {
    if (!error_) error_ = Error{std::move(what), "--gate", std::move(fix)};
    return false;
  }

  std::string_view text_;
  const GateCounts& counts_;
  int depth_ = 0;
  std::optional<Error> error_;
};

}  // namespace

GateCounts gate_counts(const ScanReport& report) {
  GateCounts counts{{"kernels", static_cast<long>(report.kernels.size())},
                    {"files", static_cast<long>(report.files.size())},
                    {"notes", 0},
                    {"disagreements", 0}};
  for (Outcome o : {Outcome::fits, Outcome::over_limit, Outcome::no_code, Outcome::stub,
                    Outcome::arch_tag_mismatch, Outcome::too_many_registers, Outcome::unknown}) {
    counts[std::string(name(o))] = 0;
    for (const ScanGpu& gpu : report.gpus)
      counts[std::string(gpu.arch->name) + "." + std::string(name(o))] = 0;
  }
  for (const ScannedFile& file : report.files)
    counts["notes"] += static_cast<long>(file.notes.size());
  for (const ScannedKernel& kernel : report.kernels) {
    counts["disagreements"] += kernel.facts.dynamic.disagrees ? 1 : 0;
    for (const KernelVerdict& v : kernel.verdicts) {
      if (v.known) continue;
      const std::string outcome(name(v.outcome));
      ++counts[outcome];
      ++counts[std::string(report.gpus[static_cast<std::size_t>(v.gpu)].arch->name) + "." +
               outcome];
    }
  }
  return counts;
}

Result<bool> gate_holds(std::string_view expression, const GateCounts& counts) {
  return Parser(expression, counts).all();
}

}  // namespace tilefit
