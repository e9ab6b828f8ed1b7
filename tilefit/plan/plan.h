// SPDX-License-Identifier: Apache-2.0
// plan_tile: a tile on an architecture -> every byte of its shared memory, and whether it can
// launch.
#pragma once

#include <vector>

#include "tilefit/model/tile_plan.h"
#include "tilefit/plan/cutlass_storage.h"

namespace tilefit {

/// Answers for any tile with positive dimensions; what is not modelled comes back as `unknown`.
/// Never allocates. `request.arch` must not be null.
TilePlan plan_tile(const TileRequest& request);

/// Blocks that one SM holds by shared memory alone: the pool over a block's bytes, rounded up to
/// the allocation granularity, plus the driver's share. Measured byte for byte on sm_90; documented
/// elsewhere.
int blocks_by_smem(const Arch& arch, Bytes bytes);

/// The storage behind a CUTLASS plan with bytes or too few stages; false where there is none.
bool cutlass_storage_of(const TileRequest& request, CutlassStorage& storage);

/// The builder's sum beside the true bytes, line by line. Empty where the family has no builder.
Ledger ledger(const TileRequest& request);

/// Every component under the ground truth's name (truth/cutlass.csv), for comparison.
std::vector<Component> components(const TileRequest& request);

}  // namespace tilefit
