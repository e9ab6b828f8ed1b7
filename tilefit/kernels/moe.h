// SPDX-License-Identifier: Apache-2.0
// MoE grouped GEMM with NVFP4 weights and 16-bit activations (W4A16), for H100/H200 and for the
// CPU.
//
//   out[row, n] = sum over k of a[row, k] * W_e[n, k]  (+ bias_e[n]),  row of expert e
//
// Weights are packed once (pack_expert). A call names device memory and a stream (gemm) or host
// memory (gemm_cpu); the fields are the same. gemm allocates nothing, does not wait for the device
// and can be captured into a CUDA graph. Every check happens before anything is launched.
//
// Units: n, k, strides in elements; workspace in bytes. Strides are between rows.
// Errors: null or misaligned pointers, k not a multiple of 16, n or strides not a multiple of 8,
// rows or offsets that overflow 32 bits, more than 512 experts, types without a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tilefit/kernels/packed_sm90.h"
#include "tilefit/model/dtype.h"
#include "tilefit/model/result.h"
#include "tilefit/model/smem_plan.h"

struct CUstream_st;  // cudaStream_t, so that callers without CUDA headers can hold one

namespace tilefit::moe {

using Stream = CUstream_st*;

/// Weights of one grouped GEMM. Rows below `split` use an expert's first global scale, the rest its
/// second (gate and up); split = n with one scale. activation picks the packed bit order.
struct Weights {
  int experts = 0, n = 0, k = 0, split = 0;
  Dtype activation = Dtype::bf16;  // bf16 or fp16
  const void* packed = nullptr;    // packed_bytes() bytes, 128-byte aligned
};

/// One checkpoint tensor, or rows of it, as it lies on disk. codes: [tensor rows, k / 2], low
/// nibble first. scales: ue4m3 [tensor rows, k / 16], or the 128x4-swizzled order with padded rows.
struct Nvfp4Tensor {
  enum class Scales : std::uint8_t { linear, swizzled_128x4 };
  /// ModelOpt's weight_scale_2 multiplies; compressed-tensors' weight_global_scale divides.
  enum class Global : std::uint8_t { multiplier, divisor };
  const std::uint8_t* codes = nullptr;
  const std::uint8_t* scales = nullptr;
  const float* global_scale = nullptr;  // one float; in device memory for pack_expert on a stream
  int first_row = 0, rows = 0;          // which rows of the tensor to take
  Scales order = Scales::linear;
  Global global = Global::multiplier;
};

/// Bytes of the packed form of all experts.
Result<Bytes> packed_bytes(const Weights& shape);

struct Done {};

/// Packs the weights of one expert: one tensor, or two stacked along n (gate, up). `packed` holds
/// packed_bytes() bytes. The first form runs on the host, the second on a stream.
Result<Done> pack_expert_cpu(const Weights& shape, int expert, std::span<const Nvfp4Tensor> tensors,
                             void* packed);
Result<Done> pack_expert(const Weights& shape, int expert, std::span<const Nvfp4Tensor> tensors,
                         void* packed, Stream stream);

/// Packed form of one expert back to codes [n, k / 2], ue4m3 scales [n, k / 16] and two global
/// scales. Codes under a zero scale come back as zero; everything else is what was packed.
struct Unpacked {
  std::span<std::uint8_t> codes, scales;
  std::span<float, 2> globals;
};
Result<Done> unpack_expert_cpu(const Weights& weights, int expert, const Unpacked& to);

/// How rows of `a` belong to experts. contiguous: expert e owns rows [rows[e], rows[e + 1]) of
/// `total_rows`; rows has experts + 1 entries. masked: expert e owns the first rows[e] of its
/// max_rows rows; rows has `experts` entries. Counts live where the activations live; values that
/// point outside are clamped.
enum class RowLayout : std::uint8_t { contiguous, masked };

/// none: row r of out is row r of a. atomic and deterministic (FINALIZE): out[row_token[r]] +=
/// row_weight[r] * (row r + bias). atomic adds in the type of `out`, in no fixed order;
/// deterministic keeps rows in the workspace and adds them in fp32 in the order of token_rows, so
/// that equal inputs give equal bits. A negative token or row is skipped.
enum class Finalize : std::uint8_t { none, atomic, deterministic };

/// Whether the launch may begin while the kernel before it still runs (programmatic dependent
/// launch). That kernel then must not write the weights.
enum class Overlap : std::uint8_t { off, on };

struct Gemm {
  Weights weights;
  RowLayout layout = RowLayout::contiguous;
  const void* a = nullptr;  // [total_rows or experts * max_rows, k] of weights.activation
  std::int64_t a_stride = 0;
  const std::int32_t* rows = nullptr;
  std::int64_t total_rows = 0;     // contiguous
  std::int64_t max_rows = 0;       // masked
  std::int64_t expected_rows = 0;  // per expert, for the choice of tile; 0: evenly spread

  void* out = nullptr;
  std::int64_t out_stride = 0;
  Dtype out_type = Dtype::bf16;  // bf16, fp16, f32
  const void* bias = nullptr;    // [experts, n] of bias_type, or null
  Dtype bias_type = Dtype::bf16;

  Finalize finalize = Finalize::none;
  const std::int32_t* row_token = nullptr;   // [rows of a]
  const float* row_weight = nullptr;         // [rows of a]
  const std::int32_t* token_rows = nullptr;  // deterministic: [tokens, top_k]
  std::int64_t tokens = 0;
  int top_k = 0;

  void* workspace = nullptr;  // workspace_bytes() bytes, 16-byte aligned
  Overlap overlap = Overlap::off;
  int tile_row = -1;  // row of sm90_w4a16::kRows; -1: choose_row()
};

Result<Bytes> workspace_bytes(const Gemm& gemm);

/// The row of sm90_w4a16::kRows that is expected to be fastest with `sms` multiprocessors.
int choose_row(const Gemm& gemm, int sms);

/// Everything that can be known to be wrong without a device; what gemm and gemm_cpu check first.
Result<Done> check(const Gemm& gemm);

/// What was launched.
struct Launched {
  int tile_row = 0;
  int blocks = 0;
  Bytes smem_bytes = 0;
};
Result<Launched> gemm(const Gemm& gemm, Stream stream);

/// The same on the CPU, plainly: weights decoded to float, sums in double, `threads` (0 = all).
Result<Done> gemm_cpu(const Gemm& gemm, int threads = 0);

}  // namespace tilefit::moe
