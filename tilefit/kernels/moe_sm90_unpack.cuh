// SPDX-License-Identifier: Apache-2.0
// Packed weights in shared memory -> scaled A fragments in registers: 13.5 instructions for a
// thread's 8 values. The bit order is packed_sm90.h's.
#pragma once

#include "tilefit/kernels/packed_sm90.h"
#include "tilefit/kernels/ptx_sm90.cuh"

namespace tilefit::moe_sm90 {

/// Where this thread's part of a block lies, relative to the stage.
struct Reader {
  std::uint32_t codes, scales;
};

template <class I>
__device__ __forceinline__ Reader make_reader(int thread) {
  const auto warpgroup = static_cast<std::uint32_t>(thread / 128);
  const auto warp = static_cast<std::uint32_t>(thread / 32 % 4);
  const auto lane = static_cast<std::uint32_t>(thread % 32);
  const std::uint32_t first =
      warpgroup * I::blocks * static_cast<std::uint32_t>(sm90_w4a16::kBlockBytes);
  const auto scales = static_cast<std::uint32_t>(sm90_w4a16::kCodeBytes);
  return {first + warp * 1024 + lane * 16, first + scales + warp * 128 + lane / 4 * 16};
}

/// This thread's words of half a block (64 of K): codes of four steps, scales of two pairs of
/// steps.
struct Raw {
  uint4 codes;
  uint2 scales;
};

__device__ __forceinline__ Raw read_half(const Reader& r, std::uint32_t stage, int block,
                                         int half) {
  const std::uint32_t at = stage + static_cast<std::uint32_t>(block) *
                                       static_cast<std::uint32_t>(sm90_w4a16::kBlockBytes);
  const auto h = static_cast<std::uint32_t>(half);
  return {ptx::load_shared(at + r.codes + h * 512), ptx::load_shared_pair(at + r.scales + h * 8)};
}

/// Rows g and g + 8 as two 16-bit floats: the bits of one step, and for bf16 the exponent's top.
template <bool kFp16>
__device__ __forceinline__ std::uint32_t scale_pair(std::uint32_t word) {
  if constexpr (kFp16) return word & 0x7F807F80U;
  return ptx::and_or(word, 0x0FF00FF0U, 0x70007000U);
}

template <bool kFp16>
__device__ __forceinline__ std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
  if constexpr (kFp16) return ptx::mul_f16x2(a, b);
  return ptx::mul_bf16x2(a, b);
}

/// 8 values of one K = 16 step. The shifts are packed_sm90::fields().
template <bool kFp16>
__device__ __forceinline__ void unpack_step(std::uint32_t x, std::uint32_t scales,
                                            std::uint32_t* a) {
  constexpr packed_sm90::Bits kBits = kFp16 ? packed_sm90::kFp16 : packed_sm90::kBf16;
  const std::uint32_t second = x << kBits.left2;
  const std::uint32_t other = kFp16 ? x << kBits.other2 : x >> kBits.other2;
  const std::uint32_t rotated = __funnelshift_r(x, x, kBits.rotate3);
  const std::uint32_t f3 = kFp16 ? ptx::xor_and(rotated, second, kBits.mask) : rotated & kBits.mask;
  const std::uint32_t lower = ptx::low_twice(scales), upper = ptx::high_twice(scales);
  a[0] = multiply<kFp16>(x & kBits.mask, lower);
  a[1] = multiply<kFp16>(x << kBits.left1 & kBits.mask, upper);
  a[2] = multiply<kFp16>(ptx::xor_and(second, other, kBits.mask), lower);
  a[3] = multiply<kFp16>(f3, upper);
}

/// The four steps of half a block.
template <class I>
__device__ __forceinline__ void unpack_half(const Raw& raw, std::uint32_t* f) {
  const std::uint32_t first = raw.scales.x, second = raw.scales.y;
  unpack_step<I::fp16>(raw.codes.x, scale_pair<I::fp16>(first), f);
  unpack_step<I::fp16>(raw.codes.y, scale_pair<I::fp16>(__funnelshift_l(first, first, 8)), f + 4);
  unpack_step<I::fp16>(raw.codes.z, scale_pair<I::fp16>(second), f + 8);
  unpack_step<I::fp16>(raw.codes.w, scale_pair<I::fp16>(__funnelshift_l(second, second, 8)),
                       f + 12);
}

/// Keeps a fragment's registers from being reused before the MMAs that read them are done.
__device__ __forceinline__ void keep(const std::uint32_t (&f)[16]) {
#pragma unroll
  for (int i = 0; i < 16; ++i) asm volatile("" ::"r"(f[i]));
}

}  // namespace tilefit::moe_sm90
