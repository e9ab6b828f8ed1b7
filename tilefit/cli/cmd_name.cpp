// SPDX-License-Identifier: Apache-2.0
// tilefit name: what the names of kernels say. Names come from the command line, or one a line from
// a file or standard input; each gives exactly one answer, in order.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/lines.h"
#include "tilefit/cli/name_output.h"
#include "tilefit/cli/output.h"

namespace tilefit {
namespace {

struct NameArgs {
  CommonArgs common;
  std::vector<std::string> symbols;
};

/// A name without what surrounds it where it was copied: blanks, quotes, the count of a profiler.
std::string_view bare_name(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return text;
}

class Answers {
 public:
  Answers(Output& out, const CommonArgs& common) : out_(out), common_(common) {}

  /// False once nothing can be written any more.
  bool answer(std::string_view text) {
    const std::string_view symbol = bare_name(text);
    const KernelName name = read_kernel_name(symbol);
    if (!name.readable) all_read_ = false;
    if (common_.quiet) return true;
    return out_.write(common_.json ? name_json(symbol, name) + "\n" : name_text(symbol, name));
  }
  bool all_read() const { return all_read_; }

 private:
  Output& out_;
  const CommonArgs& common_;
  bool all_read_ = true;
};

std::optional<Error> answer_lines(Answers& answers) {
  Result<Lines> lines = Lines::open("-");
  if (!lines) return lines.error();
  while (const std::optional<Line> line = lines->next()) {
    if (!answers.answer(line->text)) break;
  }
  return lines->error();
}

Result<int> run_name(const NameArgs& args) {
  Result<Output> out = Output::open(args.common.output);
  if (!out) return out.error();
  Answers answers(*out, args.common);
  for (const std::string& symbol : args.symbols) {
    if (symbol == "-") {
      if (const auto error = answer_lines(answers)) return *error;
    } else if (!answers.answer(symbol)) {
      break;
    }
  }
  if (const auto error = out->finish()) return *error;
  return answers.all_read() ? kExitClean : kExitError;
}

}  // namespace

Run setup_name(CLI::App& app) {
  auto args = std::make_shared<NameArgs>();
  app.add_option("SYMBOL", args->symbols,
                 "kernel names, mangled or as a profiler prints them; - reads one a line")
      ->required();
  add_common(app, args->common);
  add_examples(
      app,
      "  tilefit name _ZN7cutlass13device_kernelI3FooEEvv\n"
      "  tilefit name 'void flash::flash_fwd_kernel<(int)128, (bool)1>(flash::Params)' --json\n");
  return [args] { return run_name(*args); };
}

}  // namespace tilefit
