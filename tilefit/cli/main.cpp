// SPDX-License-Identifier: Apache-2.0
// tilefit: the door. Parses, runs one command, prints its error if it has one.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <map>
#include <string>

#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/cli/usage.h"
#include "tilefit/version.h"

namespace {

using namespace tilefit;

int print_error(const Error& e) {
  std::string text = "error: " + e.what;
  if (!e.where.empty()) text += " (" + e.where + ")";
  text += "\n";
  if (!e.fix.empty()) text += "  fix: " + e.fix + "\n";
  std::fputs(text.c_str(), stderr);  // a closed stderr is nobody's concern here
  return kExitError;
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that goes away and a file at its size limit are errors to report, not reasons to die
  // in the middle.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  CLI::App app(
      "Shared memory of FP4/FP8 MoE kernels, to the byte: which tiles fit a GPU, and why not.",
      "tilefit");
  app.set_version_flag("--version", "tilefit " + std::string(kVersion));
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  app.footer(
      "\nExamples:\n  tilefit plan --gpu 'rtx pro 6000' --tile 128x256x128 --epilogue finalize\n  "
      "tilefit gpus\n");
  std::map<CLI::App*, Run> runs;
  for (const Command& c : kCommands) {
    CLI::App* sub = app.add_subcommand(std::string(c.name), std::string(c.summary));
    runs[sub] = c.setup(*sub);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    return print_error(usage_error(app, e, argc, argv));
  }
  const Result<int> code = runs.at(app.get_subcommands().front())();
  return code ? *code : print_error(code.error());
}
