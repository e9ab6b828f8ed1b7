// SPDX-License-Identifier: Apache-2.0
// The table's kernels and the device they run on, for tests and benchmarks.
#pragma once

#include <span>

#include "tilefit/kernels/moe_sm90_params.cuh"
#include "tilefit/model/result.h"

namespace tilefit::moe_sm90 {

std::span<const Kernel> kernels(Dtype activation);

struct DeviceFacts {
  int sms, major, minor;
};
Result<DeviceFacts> device_facts();

}  // namespace tilefit::moe_sm90
