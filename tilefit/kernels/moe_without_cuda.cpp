// SPDX-License-Identifier: Apache-2.0
// The device's entry points in a build without nvcc: each says so, after the usual checks.
#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

Error no_device_code() {
  return Error{"this build has no device code", "device",
               "build where nvcc is, or use gemm_cpu and pack_expert_cpu"};
}

}  // namespace

Result<Launched> gemm(const Gemm& gemm, Stream) {
  if (auto ok = check(gemm); !ok) return ok.error();
  return no_device_code();
}

Result<Done> pack_expert(const Weights& shape, int, std::span<const Nvfp4Tensor>, void*, Stream) {
  if (auto ok = packed_bytes(shape); !ok) return ok.error();
  return no_device_code();
}

}  // namespace tilefit::moe
