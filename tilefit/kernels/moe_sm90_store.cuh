// SPDX-License-Identifier: Apache-2.0
// The epilogue: accumulators -> global scale, bias, router weight -> rows of the output.
//
// A thread's accumulators are two weight rows by two tokens; a transpose across the warp turns them
// into four neighbours in N of one token, so stores and reductions are vectors and each quad writes
// whole sectors. No shared memory is needed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tilefit/kernels/moe_sm90_params.h"
#include "tilefit/kernels/moe_sm90_schedule.cuh"
#include "tilefit/kernels/packed_sm90.h"
#include "tilefit/kernels/ptx_sm90.cuh"

namespace tilefit::moe_sm90 {

/// Token and router weight of the tile's rows: lane l holds rows l, l + 32, ... Read before the main
/// loop, so that nobody waits for them.
template <int kTokens>
struct RowInfo {
  static constexpr int kCount = (kTokens + 31) / 32;
  int token[kCount];
  float weight[kCount];
};

template <class I, int kTokens>
__device__ inline RowInfo<kTokens> row_info(const Params& p, const Entry* list, int tile) {
  RowInfo<kTokens> info{};
  if (p.combine == Combine::rows) return info;
  const Work work = work_at<I>(tile, p, list);
#pragma unroll
  for (int i = 0; i < RowInfo<kTokens>::kCount; ++i) {
    const int r = ptx::thread_index() % 32 + 32 * i;
    info.token[i] = r < work.rows ? p.row_token[work.first_row + r] : -1;
    info.weight[i] = r < work.rows ? p.row_weight[work.first_row + r] : 0.0F;
  }
  return info;
}

__device__ inline float bias_at(const Params& p, int expert, int n) {
  if (p.bias_type == BiasType::none || n >= p.n) return 0.0F;
  const std::int64_t at = std::int64_t{expert} * p.n + n;
  if (p.bias_type == BiasType::f32) return static_cast<const float*>(p.bias)[at];
  if (p.bias_type == BiasType::fp16) return __half2float(static_cast<const __half*>(p.bias)[at]);
  return __bfloat162float(static_cast<const __nv_bfloat16*>(p.bias)[at]);
}

template <Store kStore>
__device__ inline std::uint32_t pack_pair(float low, float high) {
  if constexpr (kStore == Store::fp16) {
    const __half2 v = __floats2half2_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&v);
  } else {
    const __nv_bfloat162 v = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&v);
  }
}

/// (row, tokens 2t, 2t + 1) -> (token g, rows 2t, 2t + 1), 32-bit elements in two 16-bit transposes.
__device__ inline float2 transpose_f32(float a, float b) {
  const std::uint32_t x = __float_as_uint(a), y = __float_as_uint(b);
  const std::uint32_t low = ptx::transpose(__byte_perm(x, y, 0x5410));
  const std::uint32_t high = ptx::transpose(__byte_perm(x, y, 0x7632));
  return {__uint_as_float(__byte_perm(low, high, 0x5410)),
          __uint_as_float(__byte_perm(low, high, 0x7632))};
}

/// v: rows g (first two) and g + 8 of the warp's 16, tokens 2t and 2t + 1. Writes four neighbours in
/// N of token g at `to`, unless it is null.
template <Store kStore>
__device__ inline void write(const float (&v)[4], void* to, bool add) {
  if constexpr (kStore == Store::f32) {
    const float2 a = transpose_f32(v[0], v[1]), b = transpose_f32(v[2], v[3]);
    if (to == nullptr) return;
    if (add)
      ptx::add_f32(to, {a.x, a.y, b.x, b.y});
    else
      *static_cast<float4*>(to) = {a.x, a.y, b.x, b.y};
  } else {
    const uint2 q{ptx::transpose(pack_pair<kStore>(v[0], v[1])),
                  ptx::transpose(pack_pair<kStore>(v[2], v[3]))};
    if (to == nullptr) return;
    if (!add)
      *static_cast<uint2*>(to) = q;
    else if constexpr (kStore == Store::fp16)
      ptx::add_fp16(to, q);
    else
      ptx::add_bf16(to, q);
  }
}

/// Where token row r of the tile goes; negative: nowhere.
template <int kTokens>
__device__ inline std::int64_t target_row(const Params& p, const Work& work,
                                          const RowInfo<kTokens>& info, int j, int lane) {
  const int r = 8 * j + lane / 4;
  if (p.combine != Combine::add) return r < work.rows ? work.first_row + r : -1;
  const int token = __shfl_sync(~0U, info.token[j / 4], j % 4 * 8 + lane / 4);
  return token < p.tokens ? token : -1;
}

template <class I, int kTokens, Store kStore>
__device__ inline void store_as(const Params& p, const Work& work,
                                const RowInfo<kTokens>& info,
                                const float (&acc)[I::blocks][kTokens / 2]) {
  constexpr std::int64_t kBytes = kStore == Store::f32 ? 4 : 2;
  const int thread = ptx::thread_index();
  const int lane = thread % 32, warp = thread / 32 % 4, warpgroup = thread / 128;
  const float low = p.global_scales[2 * work.expert], high = p.global_scales[2 * work.expert + 1];
#pragma unroll
  for (int block = 0; block < I::blocks; ++block) {
    const int n_warp = work.n_tile * I::tile.m + (warpgroup * I::blocks + block) * 64 + warp * 16;
    const int n0 = n_warp + lane / 8 * 4 + lane / 4 % 2;  // permuted_row of g; g + 8 is two further
    const float scale[2] = {n0 < p.split ? low : high, n0 + 2 < p.split ? low : high};
    const float bias[2] = {bias_at(p, work.expert, n0), bias_at(p, work.expert, n0 + 2)};
    const int n = n_warp + lane % 4 * 4;
#pragma unroll
    for (int j = 0; j < kTokens / 8; ++j) {
      float weight[2] = {1.0F, 1.0F};
      if (p.combine != Combine::rows)
        for (int i = 0; i < 2; ++i)
          weight[i] = __shfl_sync(~0U, info.weight[j / 4], j % 4 * 8 + lane % 4 * 2 + i);
      float v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i)
        v[i] = (acc[block][4 * j + i] * packed_sm90::kUndo * scale[i / 2] + bias[i / 2]) *
               weight[i % 2];
      const std::int64_t row = target_row<kTokens>(p, work, info, j, lane);
      void* to = row >= 0 && n < p.n
                     ? static_cast<std::byte*>(p.out) + (row * p.out_stride + n) * kBytes
                     : nullptr;
      write<kStore>(v, to, p.combine == Combine::add);
    }
  }
}

template <class I, int kTokens>
__device__ inline void store(const Params& p, const Work& work,
                             const RowInfo<kTokens>& info,
                             const float (&acc)[I::blocks][kTokens / 2]) {
  if (p.store == Store::bf16)
    store_as<I, kTokens, Store::bf16>(p, work, info, acc);
  else if (p.store == Store::fp16)
    store_as<I, kTokens, Store::fp16>(p, work, info, acc);
  else
    store_as<I, kTokens, Store::f32>(p, work, info, acc);
}

}  // namespace tilefit::moe_sm90
