// SPDX-License-Identifier: Apache-2.0
// tilefit plan --from: every row of a CSV file, on several cores, answered in the file's order.
#pragma once

#include <string>

#include "tilefit/cli/args.h"
#include "tilefit/model/result.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {

struct PlanFileArgs {
  std::string path;       // "-" for standard input
  RequestDraft defaults;  // what the command line says for every row
  bool explain = false;
};

/// Writes a line a row and gives the exit code. Memory stays bounded whatever the file's size.
Result<int> plan_file(const PlanFileArgs& args, const CommonArgs& common);

}  // namespace tilefit
