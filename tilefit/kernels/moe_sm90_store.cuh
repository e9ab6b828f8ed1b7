// SPDX-License-Identifier: Apache-2.0
// The epilogue: accumulators -> global scale, bias, router weight -> rows of the output.
//
// A thread's accumulators are two weight rows by two tokens; a transpose across the warp turns them
// into four neighbours in N of one token, so stores and reductions are vectors and each quad writes
// whole sectors. No shared memory is needed.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tilefit/kernels/moe_sm90_params.cuh"
#include "tilefit/kernels/moe_sm90_schedule.cuh"
#include "tilefit/kernels/packed_sm90.h"
#include "tilefit/kernels/ptx_sm90.cuh"

namespace tilefit::moe_sm90 {

/// The two global scales of an expert, as accumulators need them. Read before the main loop too.
struct Global {
  float low, high;  // of rows below p.split, and of the rest
};
__device__ __forceinline__ Global global_scales(const Params& p, int expert) {
  return {p.global_scales[2 * expert] * packed_sm90::kUndo,
          p.global_scales[2 * expert + 1] * packed_sm90::kUndo};
}

/// Token and router weight of the tile's rows: lane l holds rows l, l + 32, ... Read before the
/// main loop, so that nobody waits for them.
template <int kTokens>
struct RowInfo {
  static constexpr int kCount = (kTokens + 31) / 32;
  int token[kCount];
  float weight[kCount];
};

template <int kTokens>
__device__ __forceinline__ RowInfo<kTokens> row_info(const Params& p, const Work& work) {
  RowInfo<kTokens> info{};
  if (!p.add) return info;
#pragma unroll
  for (int i = 0; i < RowInfo<kTokens>::kCount; ++i) {
    const int r = ptx::thread_index() % 32 + 32 * i;
    info.token[i] = r < work.rows ? p.row_token[work.first_row + r] : -1;
    info.weight[i] = r < work.rows ? p.row_weight[work.first_row + r] : 0.0F;
  }
  return info;
}

__device__ __forceinline__ float bias_at(const Params& p, int expert, int n) {
  if (p.bias_type == BiasType::none || n >= p.n) return 0.0F;
  const std::int64_t at = std::int64_t{expert} * p.n + n;
  if (p.bias_type == BiasType::f32) return static_cast<const float*>(p.bias)[at];
  if (p.bias_type == BiasType::fp16) return __half2float(static_cast<const __half*>(p.bias)[at]);
  return __bfloat162float(static_cast<const __nv_bfloat16*>(p.bias)[at]);
}

template <Store kStore>
__device__ __forceinline__ std::uint32_t pack_pair(float low, float high) {
  if constexpr (kStore == Store::fp16) {
    const __half2 v = __floats2half2_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&v);
  } else {
    const __nv_bfloat162 v = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&v);
  }
}

/// (row, tokens 2t, 2t + 1) -> (token g, rows 2t, 2t + 1), 32-bit elements in two 16-bit
/// transposes.
__device__ __forceinline__ float2 transpose_f32(float a, float b) {
  const std::uint32_t x = __float_as_uint(a), y = __float_as_uint(b);
  const std::uint32_t low = ptx::transpose(__byte_perm(x, y, 0x5410));
  const std::uint32_t high = ptx::transpose(__byte_perm(x, y, 0x7632));
  return {__uint_as_float(__byte_perm(low, high, 0x5410)),
          __uint_as_float(__byte_perm(low, high, 0x7632))};
}

/// v: rows g (first two) and g + 8 of the warp's 16, tokens 2t and 2t + 1. Writes four neighbours
/// in N of token g at `to`, or adds them there, if `write` says so.
template <Store kStore, bool kAdd>
__device__ __forceinline__ void put(const float (&v)[4], void* to, bool write) {
  if constexpr (kStore == Store::f32) {
    const float2 a = transpose_f32(v[0], v[1]), b = transpose_f32(v[2], v[3]);
    if (!write) return;
    if constexpr (kAdd)
      ptx::add_f32(to, {a.x, a.y, b.x, b.y});
    else
      *static_cast<float4*>(to) = {a.x, a.y, b.x, b.y};
  } else {
    const uint2 q{ptx::transpose(pack_pair<kStore>(v[0], v[1])),
                  ptx::transpose(pack_pair<kStore>(v[2], v[3]))};
    if (!write) return;
    if constexpr (!kAdd)
      *static_cast<uint2*>(to) = q;
    else if constexpr (kStore == Store::fp16)
      ptx::add_fp16(to, q);
    else
      ptx::add_bf16(to, q);
  }
}

/// What the epilogue needs for this thread's rows of each 64-row block.
template <class I>
struct Columns {
  float scale[I::blocks][2], bias[I::blocks][2];  // MMA rows g and g + 8
  int rows[I::blocks];                            // token rows to write; none past the edge of N
  int n;                                          // first column written, in block 0
};

template <class I>
__device__ __forceinline__ Columns<I> columns(const Params& p, const Work& work,
                                              const Global& global, int thread) {
  Columns<I> c;
  const int lane = thread % 32;
  const int n_warp =
      work.n_tile * I::tile.m + thread / 128 * (I::blocks * 64) + thread / 32 % 4 * 16;
  c.n = n_warp + lane % 4 * 4;
#pragma unroll
  for (int block = 0; block < I::blocks; ++block) {
    const int n0 = n_warp + block * 64 + lane / 8 * 4 + lane / 4 % 2;  // permuted_row; g + 8: + 2
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      c.scale[block][i] = n0 + 2 * i < p.split ? global.low : global.high;
      c.bias[block][i] = bias_at(p, work.expert, n0 + 2 * i);
    }
    c.rows[block] = c.n + block * 64 < p.n ? work.rows : 0;
  }
  return c;
}

/// Eight tokens at a time; all blocks of one token row before the next.
template <class I, int kTokens, Store kStore, bool kAdd>
__device__ __forceinline__ void store_as(const Params& p, const Work& work, const Global& global,
                                         const RowInfo<kTokens>& info,
                                         const float (&acc)[I::blocks][kTokens / 2]) {
  constexpr int kBytes = kStore == Store::f32 ? 4 : 2;
  const int thread = ptx::thread_index(), lane = thread % 32;
  const Columns<I> c = columns<I>(p, work, global, thread);
  const std::int64_t row_bytes = p.out_stride * kBytes;
  std::byte* const first = static_cast<std::byte*>(p.out) + std::int64_t{c.n} * kBytes;
  std::byte* to = first + (work.first_row + lane / 4) * row_bytes;
#pragma unroll
  for (int j = 0; j < kTokens / 8; ++j, to += 8 * row_bytes) {
    bool wanted = true;
    float weight[2] = {1.0F, 1.0F};
    if constexpr (kAdd) {
#pragma unroll
      for (int i = 0; i < 2; ++i)
        weight[i] = __shfl_sync(~0U, info.weight[j / 4], j % 4 * 8 + lane % 4 * 2 + i);
      const int token = __shfl_sync(~0U, info.token[j / 4], j % 4 * 8 + lane / 4);
      wanted = token >= 0 && token < p.tokens;
      to = first + token * row_bytes;
    }
#pragma unroll
    for (int block = 0; block < I::blocks; ++block) {
      float v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        v[i] = fmaf(acc[block][4 * j + i], c.scale[block][i / 2], c.bias[block][i / 2]);
        if constexpr (kAdd) v[i] *= weight[i % 2];
      }
      put<kStore, kAdd>(v, to + block * 64 * kBytes, wanted && 8 * j + lane / 4 < c.rows[block]);
    }
  }
}

template <class I, int kTokens, Store kStore>
__device__ __forceinline__ void store_or_add(const Params& p, const Work& work,
                                             const Global& global, const RowInfo<kTokens>& info,
                                             const float (&acc)[I::blocks][kTokens / 2]) {
  if (p.add)
    store_as<I, kTokens, kStore, true>(p, work, global, info, acc);
  else
    store_as<I, kTokens, kStore, false>(p, work, global, info, acc);
}

template <class I, int kTokens>
__device__ __forceinline__ void store(const Params& p, const Work& work, const Global& global,
                                      const RowInfo<kTokens>& info,
                                      const float (&acc)[I::blocks][kTokens / 2]) {
  if (p.store == Store::bf16)
    store_or_add<I, kTokens, Store::bf16>(p, work, global, info, acc);
  else if (p.store == Store::fp16)
    store_or_add<I, kTokens, Store::fp16>(p, work, global, info, acc);
  else
    store_or_add<I, kTokens, Store::f32>(p, work, global, info, acc);
}

}  // namespace tilefit::moe_sm90
