// SPDX-License-Identifier: Apache-2.0
// will_launch: can a kernel of known size start on a GPU, and if not, which resource is short.
#pragma once

#include <string_view>

#include "tilefit/model/arch.h"
#include "tilefit/model/smem_plan.h"
#include "tilefit/model/verdict.h"

namespace tilefit {

struct Launch {
  Outcome outcome = Outcome::unknown;  // fits, over_limit, too_many_registers, rejected, unknown
  std::string_view reason{};           // in a few words; empty when it fits
  Bytes needed = 0, limit = 0;         // of the resource that decides
  bool opt_in = false;  // needs cudaFuncAttributeMaxDynamicSharedMemorySize set before the launch
  bool ok() const { return outcome == Outcome::fits; }
};

/// `static_bytes` and `dynamic_bytes` of shared memory together face the opt-in limit, inclusive.
/// `registers` is per thread as the compiler reports it, `threads` per block. Threads and registers
/// are checked first: a block that cannot exist fails whatever its memory. Negative values are
/// `rejected`; a limit that is not known makes the answer `unknown`.
Launch will_launch(Bytes static_bytes, Bytes dynamic_bytes, int registers, int threads,
                   const Arch& arch);

}  // namespace tilefit
