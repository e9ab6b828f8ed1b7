// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/usage.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/cli/commands.h"
#include "tilefit/model/nearest.h"

namespace tilefit {
namespace {

bool is_flag(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::string help_of(std::string_view command) {
  return "see: tilefit" + (command.empty() ? "" : " " + std::string(command)) + " --help";
}

/// The flag of `command` that is nearest to `word`, what `word` begins before all; empty where none
/// is near.
std::string nearest_flag(const CLI::App& command, std::string_view word) {
  constexpr int kBegins = -1000;
  std::string nearest;
  int least = std::max<int>(2, static_cast<int>(word.size()) / 3) + 1;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string flag = "--" + name;
      const bool begins = word.size() > 3 && flag.starts_with(word);
      if (const int distance = edit_distance(word, flag) + (begins ? kBegins : 0);
          distance < least) {
        least = distance;
        nearest = flag;
      }
    }
  }
  return nearest;
}

Error unknown_command(const std::string& word) {
  std::vector<std::string_view> known;
  for (const Command& c : kCommands) known.push_back(c.name);
  return {"unknown command '" + word + "'", "", suggest(word, known)};
}

Error unknown_flag(const CLI::App& command, const std::string& word) {
  const std::string flag = word.substr(0, word.find('='));
  const std::string nearest = nearest_flag(command, flag);
  return {
      "unknown flag '" + flag + "'", "",
      (nearest.empty() ? "" : "did you mean '" + nearest + "'? ") + help_of(command.get_name())};
}

Error no_command(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    if (!is_flag(argv[i])) return unknown_command(argv[i]);
  if (argc > 1)
    return {"flag '" + std::string(argv[1]) + "' without a command", "",
            "name the command first; " + help_of("")};
  return {"no command given", "", help_of("")};
}

Error extra_words(const CLI::App& command) {
  const std::vector<std::string> extra = command.remaining();
  for (const std::string& word : extra)
    if (is_flag(word)) return unknown_flag(command, word);
  return {"'" + (extra.empty() ? "" : extra.front()) + "' is one word too many", "",
          "quote values with spaces; " + help_of(command.get_name())};
}

}  // namespace

Error usage_error(const CLI::App& app, const CLI::ParseError& error, int argc,
                  const char* const* argv) {
  if (app.get_subcommands().empty()) return no_command(argc, argv);
  const CLI::App& command = *app.get_subcommands().front();
  const auto is = [&](CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
  };
  if (is(CLI::ExitCodes::ExtrasError)) {
    // Words before the command are left over in `app`, those behind it in the command.
    for (const std::string& word : app.remaining())
      if (is_flag(word) && !nearest_flag(command, word).empty())
        return {"flag '" + word + "' stands before the command", "",
                "write it after '" + command.get_name() + "'"};
    return extra_words(command);
  }
  std::string what = error.what();
  if (is(CLI::ExitCodes::ArgumentMismatch) && what.ends_with(" missing"))
    what = what.substr(0, what.find(':')) + " needs a value";
  if (is(CLI::ExitCodes::ConversionError)) what = "cannot read" + what.substr(what.find(':') + 1);
  return {what, "", help_of(command.get_name())};
}

}  // namespace tilefit
