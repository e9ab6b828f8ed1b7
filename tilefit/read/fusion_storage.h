// SPDX-License-Identifier: Apache-2.0
// Shared memory that the fusion callbacks of a CUTLASS epilogue own, from their type.
#pragma once

#include <string>
#include <string_view>

#include "tilefit/model/smem_plan.h"
#include "tilefit/read/type_tree.h"

namespace tilefit {

struct FusionStorage {
  Bytes bytes = 1, align = 1;  // an empty struct takes one byte
  std::string_view name;       // of the operation: "LinearCombination", "ScaledAcc...", "EVT"
  bool finalize = false;       // scatters rows into their tokens
  std::string_view output;     // element type that a scatter writes, where D itself is void
  std::string why;             // why the size is not known; empty when it is
};

/// `cta_n`: columns of the tile; a row broadcast stages one element for each.
FusionStorage fusion_storage(const TypeTree& tree, NodeId callbacks, int cta_n);

}  // namespace tilefit
