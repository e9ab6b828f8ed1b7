// SPDX-License-Identifier: Apache-2.0
// The table's kernels for fp16 activations.
#include "tilefit/kernels/moe_sm90.cuh"

namespace tilefit::moe_sm90 {

std::array<Kernel, sm90_w4a16::kRows.size()> fp16_kernels() {
  return make_kernels<true>(std::make_index_sequence<sm90_w4a16::kRows.size()>{});
}

}  // namespace tilefit::moe_sm90
