// SPDX-License-Identifier: Apache-2.0
// What the parser of the command line could not take, as an Error that names the word and the way
// out.
#pragma once

#include <CLI/CLI.hpp>

#include "tilefit/model/result.h"

namespace tilefit {

/// `app` after a parse that threw `error`; `argc` and `argv` as main has them.
Error usage_error(const CLI::App& app, const CLI::ParseError& error, int argc,
                  const char* const* argv);

}  // namespace tilefit
