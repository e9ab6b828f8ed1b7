// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/args.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tilefit {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

bool utf8_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string_view::npos ||
           value.find("utf8") != std::string_view::npos;
  }
  return false;
}

}  // namespace

void add_common(CLI::App& command, CommonArgs& args) {
  command.add_flag("--json", args.json, "one JSON document on standard output")->group("Output");
  command
      .add_option("-o,--output", args.output,
                  "write to FILE; nothing is left of it when writing fails")
      ->type_name("FILE")
      ->group("Output");
  command.add_option("--color", args.color, "auto (default), always, never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Output");
  command.add_flag("-q,--quiet", args.quiet, "only the outcome, as exit code")->group("Output");
}

void add_examples(CLI::App& command, const std::string& examples) {
  command.footer(
      "\nExamples:\n" + examples +
      "\nExit codes: 0 all fits, 1 something does not fit, 2 usage or unreadable input\n");
}

TextStyle text_style(const CommonArgs& args) {
  const bool terminal = args.output.empty() && ::isatty(STDOUT_FILENO) == 1;
  const bool dumb = environment("TERM") == "dumb" || !environment("NO_COLOR").empty();
  TextStyle style;
  style.color = args.color == "always" || (args.color == "auto" && terminal && !dumb);
  style.unicode = utf8_locale();
  return style;
}

bool wants_progress(const CommonArgs& args) {
  return args.progress || (!args.quiet && ::isatty(STDERR_FILENO) == 1);
}

}  // namespace tilefit
