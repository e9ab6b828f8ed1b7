// SPDX-License-Identifier: Apache-2.0
// A plan as text: a byte map with bars and the culprit marked, the outcome in a sentence, fixes.
#pragma once

#include <string>

#include "tilefit/model/tile_plan.h"
#include "tilefit/report/style.h"

namespace tilefit {

/// The whole report of one tile; with a ledger, the builder's sum beside the true one.
std::string plan_text(const TileReport& report, const TextStyle& style);

/// One line of a table of tiles, and the line above the first.
std::string plan_row_heading(const TextStyle& style);
std::string plan_row(const TilePlan& plan, const TextStyle& style);

}  // namespace tilefit
