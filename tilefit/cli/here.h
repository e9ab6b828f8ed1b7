// SPDX-License-Identifier: Apache-2.0
// The GPU in this machine, asked through the driver's library. No CUDA toolkit is needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilefit/model/result.h"

namespace tilefit {

struct GpuHere {
  std::string name;
  int cc = 0;                       // 120
  std::int64_t smem_per_block = 0;  // opt-in limit in bytes, as the driver says
  std::int64_t smem_per_sm = 0;
  int sms = 0;
};

/// Every GPU the driver shows. Errors: no driver, a driver that fails, no device.
Result<std::vector<GpuHere>> gpus_here();

}  // namespace tilefit
