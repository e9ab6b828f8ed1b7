// SPDX-License-Identifier: Apache-2.0
// tilefit: the door. Parses, runs one command, prints its error if it has one.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/model/nearest.h"
#include "tilefit/version.h"

namespace {

using namespace tilefit;

int print_error(const Error& e) {
  fmt::print(stderr, "error: {}{}\n", e.what, e.where.empty() ? "" : fmt::format(" ({})", e.where));
  if (!e.fix.empty()) fmt::print(stderr, "  fix: {}\n", e.fix);
  return kExitError;
}

/// The first word that is no flag, where it names no command.
Error unknown_command(const std::string& word) {
  std::vector<std::string_view> known;
  for (const Command& c : kCommands) known.push_back(c.name);
  return Error{"unknown command '" + word + "'", "", suggest(word, known)};
}

int parse_error(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
  if (app.get_subcommands().empty()) {
    for (int i = 1; i < argc; ++i)
      if (argv[i][0] != '-') return print_error(unknown_command(argv[i]));
  }
  const std::string command = app.get_subcommands().empty() ? "" : " " + app.get_subcommands().front()->get_name();
  return print_error({e.what(), "command line", "see: tilefit" + command + " --help"});
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away is an error to report, not a reason to die in the middle.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app("Shared memory of FP4/FP8 MoE kernels, to the byte: which tiles fit a GPU, and why not.", "tilefit");
  app.set_version_flag("--version", "tilefit " + std::string(kVersion));
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  app.footer("\nExamples:\n  tilefit plan --gpu 'rtx pro 6000' --tile 128x256x128 --epilogue finalize\n  tilefit gpus\n");
  std::map<CLI::App*, Run> runs;
  for (const Command& c : kCommands) {
    CLI::App* sub = app.add_subcommand(std::string(c.name), std::string(c.summary));
    runs[sub] = c.setup(*sub);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return parse_error(app, e, argc, argv);
  }
  const Result<int> code = runs.at(app.get_subcommands().front())();
  return code ? *code : print_error(code.error());
}
