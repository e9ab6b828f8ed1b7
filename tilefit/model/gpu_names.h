// SPDX-License-Identifier: Apache-2.0
// find_target: a GPU or an architecture, named as people write it.
#pragma once

#include <string_view>

#include "tilefit/model/arch.h"
#include "tilefit/model/gpu.h"
#include "tilefit/model/result.h"

namespace tilefit {

/// What a name stands for. `gpu` is null when an architecture was named.
struct Target {
  const Gpu* gpu = nullptr;
  const Arch* arch = nullptr;
  bool operator==(const Target&) const = default;
};

/// `name` is `RTX PRO 6000`, `NVIDIA_H100_80GB_HBM3`, `dgx spark`, `sm_120a`, `compute_90`, `12.0`
/// or `120`; case, spaces, underscores and dashes do not matter. A product stands for its first
/// variant; a name that leaves the product open is an error that lists the products.
Result<Target> find_target(std::string_view name);

}  // namespace tilefit
