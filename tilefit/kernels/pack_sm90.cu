// SPDX-License-Identifier: Apache-2.0
// Checkpoint tensors -> packed form on the device: one thread block a packed block. What goes where
// is pack.h's, the same code as on the host.
#include "tilefit/kernels/cuda_error.cuh"
#include "tilefit/kernels/pack.h"

namespace tilefit::pack_sm90 {

/// kInverse as the device sees it.
struct Columns {
  std::uint32_t column[32];
  __host__ __device__ constexpr std::uint32_t operator[](unsigned i) const { return column[i]; }
};

template <bool kFp16>
__global__ void __launch_bounds__(256)
    pack(const __grid_constant__ moe::PackJob job, const __grid_constant__ Columns columns,
         std::uint8_t* expert, float* globals) {
  constexpr packed_sm90::Bits kBits = kFp16 ? packed_sm90::kFp16 : packed_sm90::kBf16;
  const int k_block = static_cast<int>(blockIdx.x), block_row = static_cast<int>(blockIdx.y);
  const int thread = static_cast<int>(threadIdx.x);
  std::uint8_t* to = expert + job.shape.block_offset(block_row, k_block);
  std::uint32_t words[4];
  for (int s = 0; s < 4; ++s)
    words[s] = packed_sm90::pack_word<kBits>(
        moe::fragment<kBits>(job, block_row, k_block, thread, s), columns);
  reinterpret_cast<uint4*>(to)[thread] = {words[0], words[1], words[2], words[3]};
  if (thread < 128)
    reinterpret_cast<std::uint32_t*>(to + sm90_w4a16::kCodeBytes)[thread] =
        moe::scale_word<kBits>(job, block_row, k_block, thread);
  if (block_row == 0 && k_block == 0 && thread < 2)
    globals[thread] = moe::global_multiplier(job.tensors[thread]);
}

template <bool kFp16>
void launch(const moe::PackJob& job, std::uint8_t* expert, float* globals, cudaStream_t stream) {
  constexpr packed_sm90::Bits kBits = kFp16 ? packed_sm90::kFp16 : packed_sm90::kBf16;
  Columns columns{};
  for (unsigned i = 0; i < 32; ++i) columns.column[i] = packed_sm90::kInverse<kBits>[i];
  const dim3 grid(static_cast<unsigned>(job.shape.k_blocks()),
                  static_cast<unsigned>(job.shape.groups() * 2));
  pack<kFp16><<<grid, 256, 0, stream>>>(job, columns, expert, globals);
}

}  // namespace tilefit::pack_sm90

namespace tilefit::moe {

Result<Done> pack_expert(const Weights& shape, int expert, std::span<const Nvfp4Tensor> tensors,
                         void* packed, Stream stream) {
  const auto job = pack_job(shape, expert, tensors, packed);
  if (!job) return job.error();
  if (job->shape.groups() * 2 > 65535)
    return Error{"n is " + std::to_string(shape.n), "weights.n", "at most 4194240 on the device"};
  auto* base = static_cast<std::uint8_t*>(packed);
  std::uint8_t* to = base + expert * job->shape.expert_bytes();
  auto* globals =
      reinterpret_cast<float*>(base + job->shape.global_scales_offset() + Bytes{expert} * 8);
  if (shape.activation == Dtype::fp16)
    pack_sm90::launch<true>(*job, to, globals, stream);
  else
    pack_sm90::launch<false>(*job, to, globals, stream);
  TILEFIT_TRY(cudaGetLastError());
  return Done{};
}

}  // namespace tilefit::moe
