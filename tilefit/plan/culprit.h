// SPDX-License-Identifier: Apache-2.0
// The one sentence: what became of a tile, and which region or decision is to blame.
#pragma once

#include <string>

#include "tilefit/model/tile_plan.h"

namespace tilefit {

struct Culprit {
  bool found = false;
  Part part = Part::pad;  // the region to mark; meaningful where found
  std::string sentence;   // "needs 1024 B too many: ..."
};

Culprit culprit(const TilePlan& plan);

}  // namespace tilefit
