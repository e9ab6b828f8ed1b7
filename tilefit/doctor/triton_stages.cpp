// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/triton_stages.h"

namespace tilefit {

TritonStages triton_stages(const Fact& c, Bytes required, Bytes limit) {
  TritonStages best;
  for (const int element : {1, 2}) {
    const Bytes stage = Bytes{c.block_m + c.block_n} * c.block_k * element;
    for (const int buffers : {c.num_stages - 1, c.num_stages}) {
      const Bytes extra = required - stage * buffers;
      if (buffers < 1 || extra < 0 || extra >= stage) continue;
      if (best.element_bytes > 0 && best.extra <= extra) continue;
      best = {element, stage, buffers, extra};
    }
  }
  if (best.element_bytes == 0) return best;
  for (int stages = c.num_stages; stages >= 1; --stages) {
    const int buffers = best.buffers - (c.num_stages - stages);
    const Bytes bytes = best.stage * buffers + best.extra;
    if (buffers < 1 || bytes > limit) continue;
    best.fit = stages;
    best.bytes_at_fit = bytes;
    break;
  }
  return best;
}

}  // namespace tilefit
