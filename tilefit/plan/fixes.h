// SPDX-License-Identifier: Apache-2.0
// Fixes: single changes that make a tile fit, each planned anew, best first.
#pragma once

#include <vector>

#include "tilefit/model/tile_plan.h"

namespace tilefit {

/// Changes to `plan`'s tile after each of which it is usable (fits, and is not known to fail in the
/// device compiler). Best first: those that keep the stages, then those that keep the tile's area,
/// then those with a compiled kernel behind them. Empty where `plan` is usable or not modelled.
std::vector<Fix> fixes(const TilePlan& plan);

}  // namespace tilefit
