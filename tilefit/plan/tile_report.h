// SPDX-License-Identifier: Apache-2.0
// A tile's plan with all that is printed beside it: the sentence, the culprit, the fixes.
#pragma once

#include "tilefit/model/tile_plan.h"

namespace tilefit {

/// The ledger only where `explain` asks for it.
TileReport tile_report(const TileRequest& request, bool explain);

}  // namespace tilefit
