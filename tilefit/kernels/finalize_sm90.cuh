// SPDX-License-Identifier: Apache-2.0
// Second pass of the deterministic FINALIZE: out[t] += row_weight x the
// token's rows, in the order of token_rows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tilefit/kernels/moe.h"

namespace tilefit::finalize_sm90 {

/// `rows`: [rows of a, n] of gemm.out_type. Sums in fp32.
cudaError_t launch(const moe::Gemm& gemm, const void* rows, std::int64_t row_count,
                   cudaStream_t stream);

}  // namespace tilefit::finalize_sm90
