// SPDX-License-Identifier: Apache-2.0
// What the MoE launcher builds for sm_90: operands of one width (bf16, fp8, f32) and mixed input
// (a 4-bit weight widened in registers). Sources: sm90_gmma_builder.inl of CUTLASS 4.5.0 and
// TensorRT-LLM's sm90_gmma_builder_mixed_input.inl, both as bundled with flashinfer-python 0.7.4.
#pragma once

#include <numeric>

#include "tilefit/plan/cutlass_shells.h"
#include "tilefit/plan/cutlass_sm120.h"

namespace tilefit {

inline constexpr Bytes kSm90Capacity = 232448;  // cutlass::arch sm90_smem_capacity_bytes

constexpr CutlassSpec sm90_same(const Tile& t) {
  const int element = row(t.operands).smem_bits, out = bits(t.out);
  const Bytes k = t.k;
  CutlassSpec s;
  s.shell = Shell::array;
  EpilogueSpec& e = s.epilogue;
  const bool pingpong = t.schedule == Schedule::pingpong;
  e.tile_m = std::min(pingpong ? 64 : 128, t.m);
  e.tile_n = std::gcd(std::min(32, t.n), t.n);
  const Bytes tiles = Bytes{t.m / e.tile_m} * (t.n / e.tile_n);
  e.stages_d = least(tiles, 2);
  e.stages_c = least(tiles, 4);
  e.d_bits = out;
  e.d_void = t.epilogue == Epilogue::finalize;
  e.contiguous = column_major_d(t) ? e.tile_m : e.tile_n;
  e.thread = e.d_void ? finalize_row(t, out) : Span{0, 1};
  e.tensormaps = 384;
  e.warp_groups = 2;
  e.fragment = e.tile_n / 2;
  s.mainloop.align = 128;
  s.mainloop.add(Part::mainloop_a, t.m * k * element / 8, 128);
  s.mainloop.add(Part::mainloop_b, t.n * k * element / 8, 128);
  s.mainloop.tensormaps = 256;
  s.builder.capacity = kSm90Capacity;
  s.builder.reserve("tensor maps of A and B", Part::tensormap_mainloop, 256);
  s.builder.reserve("scheduler pipeline", Part::pipeline_scheduler, 128);
  s.builder.capacity_align = s.builder.carveout_align = s.builder.stage_align = 128;
  s.builder.pipeline_per_stage = 16;
  s.cooperative = !pingpong;
  s.math_order = pingpong;
  return s;
}

/// Weight and activation of one mixed-input pair, in the kernel's order: A is the weight.
constexpr CutlassSpec sm90_mixed(const Tile& t) {
  const OperandsRow& o = row(t.operands);
  const int weight = bits(o.b), activation = bits(o.a), out = bits(t.out);
  const bool pingpong = t.schedule == Schedule::pingpong;
  const bool prescale = t.scale_apply == ScaleApply::pre_mma_e8m0;
  const Bytes k = t.k;
  CutlassSpec s;
  s.shell = Shell::array;
  EpilogueSpec& e = s.epilogue;
  e.tile_m = std::min(pingpong ? 64 : 128, t.m);
  e.tile_n = std::gcd(std::min(32, t.n), t.n);
  const Bytes tiles = Bytes{t.m / e.tile_m} * (t.n / e.tile_n);
  e.stages_d = least(tiles, 2);
  e.stages_c = std::max(least(tiles, 4), e.stages_d + 1);
  e.reuse_c = true;
  e.c_bits = e.d_bits = out;
  e.contiguous = e.tile_m;  // output is transposed
  e.thread =
      prescale ? Span{16, round_up(Bytes{4} * t.n, 16)} : Span{0, 1};  // per-token scales, fp32
  e.tensormaps = 384;
  e.warp_groups = 2;
  e.fragment = e.tile_n / 2;
  const Bytes align_a = swizzle_align(t.k, weight), align_b = swizzle_align(t.k, activation);
  s.mainloop.align = std::max(align_a, align_b);
  s.mainloop.add(Part::mainloop_a, t.m * k * weight / 8, align_a);
  s.mainloop.add(Part::mainloop_b, t.n * k * activation / 8, align_b);
  s.mainloop.add(Part::mainloop_scale, t.m * k / o.scale_vector * bits(o.scale) / 8, 1);
  s.mainloop.tensormaps = 1;  // descriptors are precomputed; an empty type is left
  s.mainloop.two_empty_tails = prescale;
  s.builder.capacity = kSm90Capacity;
  s.builder.reserve("tensor maps of A and B", Part::tensormap_mainloop, 256);
  s.builder.capacity_align = s.builder.carveout_align = s.builder.stage_align = s.mainloop.align;
  s.builder.pipeline_per_stage = 16;
  s.builder.least_stages =
      2;  // "return computed_stage_count < 2 ? 2 : computed_stage_count", line 84; unchecked
  s.scheduler = false;
  s.math_order = pingpong;
  return s;
}

}  // namespace tilefit
