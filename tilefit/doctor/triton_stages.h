// SPDX-License-Identifier: Apache-2.0
// How many stages of a Triton matmul fit, from the bytes it asked for and its configuration.
#pragma once

#include "tilefit/model/log_fact.h"

namespace tilefit {

/// Triton keeps num_stages - 1 buffers of A and B where the last stage is in registers (before
/// sm_90), num_stages with TMA and wgmma. Beside them stand bytes that the text does not explain.
struct TritonStages {
  int element_bytes = 0;  // 0 = no element size explains the bytes
  Bytes stage = 0;        // A and B of one stage
  int buffers = 0;        // at the stages asked for
  Bytes extra = 0;        // 0 = the formula is exact
  int fit = 0;            // num_stages that fit; 0 = none
  Bytes bytes_at_fit = 0;

  bool exact() const { return element_bytes > 0 && extra == 0; }
};

/// `config` is a triton_config fact. Element sizes of 1 and 2 bytes are tried; of those that leave
/// less than a stage unexplained the one that leaves least is taken.
TritonStages triton_stages(const Fact& config, Bytes required, Bytes limit);

}  // namespace tilefit
