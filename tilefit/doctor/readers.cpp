// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/readers.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <vector>

namespace tilefit {
namespace {

constexpr std::size_t kMostGroups = 5;
constexpr std::size_t kLongestText = 400;     // of a line kept as evidence
constexpr std::size_t kLongestMatch = 16384;  // of a line searched: no tool's message is longer

struct Compiled {
  const LinePattern* pattern;
  std::size_t reader;
  std::unique_ptr<RE2> regex;
};

RE2::Options options() {
  RE2::Options o;
  o.set_encoding(RE2::Options::EncodingLatin1);  // bytes: a log need not be valid UTF-8
  o.set_log_errors(false);
  o.set_max_mem(std::int64_t{64} << 20);
  return o;
}

const LineReader* const kLineReaders[] = {&kTunerReader, &kFrontendReader, &kCudaReader,
                                          &kServingReader};

/// All patterns, compiled once.
struct Matcher {
  std::vector<Compiled> patterns;
  RE2::Set all{options(), RE2::UNANCHORED};

  Matcher() {
    for (std::size_t r = 0; r < std::size(kLineReaders); ++r)
      for (const LinePattern& p : kLineReaders[r]->patterns) {
        all.Add(p.regex, nullptr);
        patterns.push_back({&p, r, std::make_unique<RE2>(p.regex, options())});
      }
    all.Compile();
  }
};

const Matcher& matcher() {
  static const Matcher one;
  return one;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  return std::string(text.substr(0, kLongestText)) + " ..";
}

/// "(x5)" at the end of a line: the same line five times, folded by whoever wrote the log.
std::int64_t repeats(std::string_view text) {
  const std::size_t at = text.rfind("(x");
  if (at == std::string_view::npos || text.size() - at > 10 || !text.ends_with(")")) return 1;
  const std::int64_t n = number_of(text.substr(at + 2, text.size() - at - 3));
  return n > 0 ? n : 1;
}

std::string key_of(const Fact& f) {
  std::string key =
      std::to_string(static_cast<int>(f.kind)) + '|' + f.name + '|' + f.detail + '|' + f.arch;
  for (const std::int64_t n : {f.required, f.limit, std::int64_t{f.code}, f.number})
    key += '|' + std::to_string(n);
  for (const int n : {f.block_m, f.block_n, f.block_k, f.num_stages})
    key += ',' + std::to_string(n);
  for (const int n : f.tactic) key += ';' + std::to_string(n);
  return key;
}

}  // namespace

struct LogReader::Impl {
  LogFacts out;
  std::unordered_map<std::string, std::size_t> seen;
  std::array<bool, std::size(kLineReaders)> used{};
  LineContext context;
  std::vector<int> hits;
  std::unique_ptr<LogLines> lines;

  void line(std::int64_t number, std::string_view text);
  void apply(const Compiled& c, std::int64_t number, std::string_view text);
  void add(Fact fact, Evidence where, std::int64_t times);
};

void LogReader::Impl::line(std::int64_t number, std::string_view text) {
  text = text.substr(0, kLongestMatch);
  hits.clear();
  RE2::Set::ErrorInfo problem{};
  if (!matcher().all.Match({text.data(), text.size()}, &hits, &problem)) {
    if (problem.kind == RE2::Set::kNoError) return;
    // The automaton ran out of memory: every pattern looks for itself.
    for (std::size_t i = 0; i < matcher().patterns.size(); ++i) hits.push_back(static_cast<int>(i));
  }
  std::sort(hits.begin(), hits.end());
  for (const int i : hits) apply(matcher().patterns[static_cast<std::size_t>(i)], number, text);
}

void LogReader::Impl::apply(const Compiled& c, std::int64_t number, std::string_view text) {
  std::array<re2::StringPiece, kMostGroups + 1> pieces;
  const auto groups = static_cast<std::size_t>(c.regex->NumberOfCapturingGroups());
  if (groups > kMostGroups ||
      !c.regex->Match({text.data(), text.size()}, 0, text.size(), RE2::UNANCHORED, pieces.data(),
                      static_cast<int>(groups) + 1))
    return;
  std::array<std::string_view, kMostGroups> captured;
  for (std::size_t i = 0; i < groups; ++i)
    if (pieces[i + 1].data() != nullptr) captured[i] = {pieces[i + 1].data(), pieces[i + 1].size()};
  Fact fact{.kind = c.pattern->kind};
  used[c.reader] = true;
  if (!c.pattern->fill(fact, Captures(captured).first(groups), context)) return;
  add(std::move(fact), {static_cast<int>(out.inputs.size()) - 1, number, shortened(text)},
      repeats(text));
}

void LogReader::Impl::add(Fact fact, Evidence where, std::int64_t times) {
  fact.detail = shortened(fact.detail);
  const auto [at, fresh] = seen.try_emplace(key_of(fact), out.facts.size());
  if (fresh) {
    if (out.facts.size() >= kMostFacts) {
      seen.erase(at);
      ++out.dropped;
      return;
    }
    fact.times = 0;
    out.facts.push_back(std::move(fact));
  }
  Fact& known = out.facts[at->second];
  known.times += times;
  if (known.places.size() < kMostPlaces) known.places.push_back(std::move(where));
}

LogReader::LogReader() : impl_(std::make_unique<Impl>()) {}
LogReader::~LogReader() = default;

void LogReader::open(std::string path) {
  Impl& i = *impl_;
  i.out.inputs.push_back({.path = std::move(path)});
  i.used = {};
  i.context = {};
  i.lines = std::make_unique<LogLines>(
      [&i](std::int64_t number, std::string_view text) { i.line(number, text); });
}

void LogReader::feed(std::string_view bytes) { impl_->lines->feed(bytes); }

void LogReader::close(std::string stopped) {
  Impl& i = *impl_;
  i.lines->finish();
  DoctorInput& input = i.out.inputs.back();
  input.lines = i.lines->lines();
  input.skipped_lines = i.lines->skipped();
  input.stopped = std::move(stopped);
  for (std::size_t r = 0; r < i.used.size(); ++r)
    if (i.used[r])
      input.kind += (input.kind.empty() ? "" : "; ") + std::string(kLineReaders[r]->name);
  if (input.kind.empty()) input.kind = "nothing known";
}

LogFacts LogReader::facts() && { return std::move(impl_->out); }

}  // namespace tilefit
