// SPDX-License-Identifier: Apache-2.0
// CUDA's error codes as Error values.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "tilefit/model/result.h"

namespace tilefit {

/// What CUDA said of `call`. Clears the pending flag, so that a later check does not blame others.
inline Error cuda_error(cudaError_t code, const char* call) {
  (void)cudaGetLastError();
  return Error{std::string(call) + ": " + cudaGetErrorString(code), "CUDA runtime",
               "see cudaError " + std::to_string(static_cast<int>(code))};
}

}  // namespace tilefit

/// Returns the error of a CUDA call from a function that returns a Result.
#define TILEFIT_TRY(call)                                       \
  do {                                                          \
    if (const cudaError_t code_ = (call); code_ != cudaSuccess) \
      return ::tilefit::cuda_error(code_, #call);               \
  } while (false)
