// SPDX-License-Identifier: Apache-2.0
// What Triton writes beside a cubin in its cache: NAME.json with what its launcher needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilefit/model/smem_plan.h"

namespace tilefit {

struct TritonSidecar {
  std::string name;  // of the kernel
  Bytes shared = 0;  // dynamic bytes of each launch
  int num_warps = 0;
};

/// Nothing where the text is no such JSON.
std::optional<TritonSidecar> read_triton_sidecar(std::string_view json);

}  // namespace tilefit
