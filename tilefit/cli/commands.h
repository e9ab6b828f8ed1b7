// SPDX-License-Identifier: Apache-2.0
// The commands: one row each. A command adds its flags to the parser and says what to run.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string_view>

#include "tilefit/model/result.h"

namespace tilefit {

using Run = std::function<Result<int>()>;  // exit code, or an error (exit code 2)

struct Command {
  std::string_view name, summary;
  Run (*setup)(CLI::App& app);
};

Run setup_plan(CLI::App& app);
Run setup_sweep(CLI::App& app);
Run setup_doctor(CLI::App& app);
Run setup_explain(CLI::App& app);
Run setup_scan(CLI::App& app);
Run setup_name(CLI::App& app);
Run setup_gpus(CLI::App& app);
Run setup_schema(CLI::App& app);

// clang-format off
inline constexpr Command kCommands[] = {
    {"plan", "bytes of a tile, region by region, and what makes it fit", setup_plan},
    {"sweep", "every tile of a kind on a GPU, or the list a release's tuner tries", setup_sweep},
    {"doctor", "from a log to the cause and the fix", setup_doctor},
    {"explain", "what a rule of the doctor means, and what to do", setup_explain},
    {"scan", "which kernels in binaries cannot be launched on a GPU", setup_scan},
    {"name", "the tile, epilogue and bytes behind kernel names", setup_name},
    {"gpus", "the GPUs known, with the source of each number; or those here", setup_gpus},
    {"schema", "the JSON Schema of what a command prints with --json", setup_schema},
};
// clang-format on

}  // namespace tilefit
