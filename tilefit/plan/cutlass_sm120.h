// SPDX-License-Identifier: Apache-2.0
// What CUTLASS builds for sm_120 and sm_121: block-scaled kernels (grouped as the FlashInfer and
// TensorRT-LLM MoE launcher instantiates them, or dense) and fp8 blockwise ones.
// Sources: builders/sm120_blockscaled_mma_builder.inl, sm120_blockwise_mma_builder.inl and
// epilogue/collective/builders/sm120_builder.inl of the CUTLASS that flashinfer-python 0.6.0
// (4.2.1) and 0.7.4 (4.5.0) bundle.
#pragma once

#include "tilefit/model/family.h"
#include "tilefit/plan/cutlass_shells.h"

namespace tilefit {

inline constexpr Bytes kSm120Capacity = 101376;  // cutlass::arch sm120_smem_capacity_bytes
inline constexpr int kSm120EpilogueTileM = 64, kSm120EpilogueTileN = 32;  // EpilogueTileAuto

/// The launcher keeps C of the output's type on sm_120 (ElementCSafe) where other architectures
/// pass void.
constexpr Dtype sm120_c_type(const Tile& t) { return t.c == Dtype::automatic ? t.out : t.c; }
/// Type of the elements staged for D; with FINALIZE D itself is void and this is the scattered
/// type.
constexpr Dtype sm120_d_type(const Tile& t) { return t.d == Dtype::automatic ? t.out : t.d; }

constexpr bool column_major_d(const Tile& t) {
  return t.d_layout == DLayout::automatic ? t.swap_ab : t.d_layout == DLayout::col;
}

/// Storage of the fusion callbacks: only a row broadcast owns any. FINALIZE broadcasts the bias (of
/// the output's type), swapped the router weights (fp32), over the tile's columns.
constexpr Span finalize_row(const Tile& t, int bias_bits) {
  const Bytes element = t.swap_ab ? 4 : bias_bits / 8;
  return {16, round_up(t.n * element, 16)};
}

constexpr EpilogueSpec sm120_epilogue(const Tile& t, Bytes tensormaps) {
  const bool finalize = t.epilogue == Epilogue::finalize;
  const int c_bits = bits(sm120_c_type(t)), d_bits = bits(sm120_d_type(t));
  EpilogueSpec e;
  e.tile_m = t.epilogue_tile.automatic() ? kSm120EpilogueTileM : t.epilogue_tile.m;
  e.tile_n = t.epilogue_tile.automatic() ? kSm120EpilogueTileN : t.epilogue_tile.n;
  const Bytes tiles = Bytes{t.m / e.tile_m} * (t.n / e.tile_n);
  e.c_bits = c_bits;
  e.d_bits = d_bits;
  e.d_void = finalize;
  e.reuse_c = !finalize && c_bits == d_bits && d_bits > 8;
  e.delay_store = c_bits == 0;
  e.stages_d = least(tiles, 2);
  e.stages_c = e.reuse_c ? std::max(least(tiles, 2), e.stages_d + 1) : e.stages_d;
  e.contiguous = column_major_d(t) ? e.tile_m : e.tile_n;
  e.thread = finalize ? finalize_row(t, d_bits) : Span{0, 1};
  e.tensormaps = tensormaps;
  e.warp_groups = tensormaps > 0 ? 2 : 0;
  e.fragment = 4;
  return e;
}

/// A, B and their scale factors. Scale atoms are 128 rows by 4 groups of K; SFA counts whole atoms
/// of the tile's rows, SFB pads the tile's columns to one atom at least.
constexpr MainloopSpec sm120_blockscaled_mainloop(const Tile& t) {
  const OperandsRow& o = row(t.operands);
  const Bytes k = t.k;
  MainloopSpec m;
  m.align = 1024;
  m.add(Part::mainloop_a, t.m * k * o.smem_bits / 8, 1024);
  m.add(Part::mainloop_b, t.n * k * o.smem_bits / 8, 1024);
  m.add(Part::mainloop_sfa, t.m / 128 * 128 * k / o.scale_vector, 16);
  m.add(Part::mainloop_sfb, std::max(t.n, 128) / 128 * 128 * k / o.scale_vector, 16);
  if (t.n == 96)
    m.tensors[3].extra = 16;  // 96 columns do not tile their padded atom: one unit more
  return m;
}

constexpr BuilderSpec sm120_blockscaled_builder(Builder builder, bool grouped) {
  BuilderSpec b;
  b.capacity = kSm120Capacity;
  b.scheduler_stages = 3;
  if (builder == Builder::cutlass_4_2) {
    b.pipeline_per_stage = 16;
    return b;
  }
  b.pipeline_per_stage = 128;  // sizeof of one pipeline stage rounded up to 128
  b.reserve("scheduler pipeline", grouped ? Part::pipeline_scheduler : Part::scheduler_storage,
            grouped ? 128 : 48);
  if (grouped) {
    b.reserve("tensor maps of A and B", Part::tensormap_mainloop, 256);
    b.reserve("tensor-map-ready pipeline", Part::pipeline_tensormap_ready, 48);
  } else {
    b.reserve("CLC response", Part::scheduler_storage, 48);
  }
  return b;
}

constexpr CutlassSpec sm120_blockscaled(const Tile& t, Builder builder) {
  const bool grouped = t.kernel == KernelKind::grouped;
  CutlassSpec s;
  s.shell = grouped ? Shell::array : Shell::dense;
  s.epilogue = sm120_epilogue(t, grouped ? 384 : 0);
  s.mainloop = sm120_blockscaled_mainloop(t);
  s.mainloop.tensormaps = grouped ? 512 : 0;  // A, B, SFA, SFB
  s.builder = sm120_blockscaled_builder(builder, grouped);
  s.math_order = t.schedule == Schedule::pingpong;
  s.scheduler_bytes = 144;
  s.cooperative = t.schedule != Schedule::pingpong;
  s.names_storages = builder != Builder::cutlass_4_2;
  return s;
}

constexpr CutlassSpec sm120_blockwise(const Tile& t) {
  const bool grouped = t.kernel == KernelKind::grouped;
  const Bytes k = t.k;
  CutlassSpec s;
  s.shell = grouped ? Shell::array : Shell::dense;
  s.epilogue = sm120_epilogue(t, grouped ? 384 : 0);
  s.mainloop.align = 1024;
  s.mainloop.add(Part::mainloop_a, t.m * k, 1024);
  s.mainloop.add(Part::mainloop_b, t.n * k, 1024);
  s.mainloop.add(Part::mainloop_scale_a, 4 * (t.m / t.scale_granularity.m), 16);
  s.mainloop.add(Part::mainloop_scale_b, 4 * (t.n / t.scale_granularity.n), 16);
  s.mainloop.tensormaps = grouped ? 256 : 0;  // A and B; scales come by plain copies
  s.builder.capacity = kSm120Capacity;
  s.builder.pipeline_per_stage = 16;
  s.builder.scheduler_stages = 2;
  s.scheduler_bytes = 96;
  s.cooperative = 1;
  return s;
}

}  // namespace tilefit
