// SPDX-License-Identifier: Apache-2.0
// What every command shares: where output goes and how it is dressed. The environment is read here
// and nowhere else.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "tilefit/report/style.h"

namespace tilefit {

inline constexpr int kExitClean = 0, kExitFindings = 1, kExitError = 2;

struct CommonArgs {
  bool json = false;
  bool quiet = false;
  bool progress = false;
  std::string output;  // empty = standard output
  std::string color = "auto";
};

/// Adds --json, -o, --color, -q and the examples to a command's help.
void add_common(CLI::App& command, CommonArgs& args);

/// Help's last section; each line is a command that a test runs.
void add_examples(CLI::App& command, const std::string& examples);

/// Colour by --color, the terminal, NO_COLOR and TERM; block characters by LC_ALL, LC_CTYPE, LANG.
TextStyle text_style(const CommonArgs& args);

/// Progress goes to standard error, only on a terminal or when asked for.
bool wants_progress(const CommonArgs& args);

}  // namespace tilefit
