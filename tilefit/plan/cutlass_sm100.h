// SPDX-License-Identifier: Apache-2.0
// What the MoE launcher builds for sm_100 (tcgen05 MMA, 1SM or 2SM) and for sm_103 (NVFP4 with a
// second ring for scales). Sources: sm100_umma_builder.inl, sm100_blockscaled_umma_builder.inl,
// sm100_pipeline_carveout.inl, sm103_blockscaled_umma_builder.inl of CUTLASS 4.5.0.
#pragma once

#include "tilefit/plan/cutlass_shells.h"
#include "tilefit/plan/cutlass_sm120.h"

namespace tilefit {

inline constexpr Bytes kSm100Capacity = 232448;  // cutlass::arch sm100_smem_capacity_bytes

/// Accumulator buffers in TMEM (512 columns of 128 lanes), at most 4; block-scaled kernels keep two
/// unless one tile takes half the columns.
constexpr int sm100_accumulators(bool block_scaled, int m, int n, bool two_sm) {
  if (block_scaled) return n == 256 ? 1 : 2;
  const int fit = (two_sm || m > 64) ? 128 * 512 / (m * n) : 512 / n * 2;
  return std::min(4, fit);
}

/// Rows and columns that the builder stages at a time, and how far a row of them is contiguous.
struct Sm100EpilogueTile {
  int m = 0, n = 0, contiguous_n = 0;
};

constexpr Sm100EpilogueTile sm100_epilogue_tile(const Tile& t) {
  const bool block_scaled = row(t.operands).scale_vector > 0, two_sm = t.cluster.m == 2;
  const bool wide_warps = two_sm && t.m * 2 == 128;  // 2x2 warps over TMEM instead of 4x1
  const int warps_m = wide_warps ? 2 : 4, warps_n = wide_warps ? 2 : 1;
  const int out = t.epilogue == Epilogue::activation ? 8 : bits(t.out);
  const int m = std::min(t.m, 32 * warps_m);
  if (t.epilogue_schedule == EpilogueSchedule::nosmem) return {t.m, std::min(t.n, 64), 0};
  if (block_scaled && t.n == 256) {
    const int n = t.operands == Operands::nvfp4 ? 64 : 128;  // NVFP4's launcher asks for 128x64
    return {m, n, n};
  }
  if (t.epilogue == Epilogue::activation) return {m, std::min(t.n, 64), std::min(t.n, 64)};
  const int budget = (out == 4 ? 8192 : 4096) / m;
  const int least = t.swap_ab ? 8 * warps_n : 128 / out * warps_n;
  const int wanted = std::min(t.n, std::max({budget, 8 * warps_n, least}));
  const int n = t.n % wanted == 0 ? wanted : t.n;
  return {m, n, (warps_n == 1 || n == t.n) ? n : n / warps_n};
}

constexpr EpilogueSpec sm100_epilogue(const Tile& t, const Sm100EpilogueTile& tile) {
  const bool activation = t.epilogue == Epilogue::activation;
  const int out = activation ? 8 : bits(t.out);
  EpilogueSpec e;
  e.tile_m = tile.m;
  e.tile_n = tile.n;
  if (t.epilogue_schedule == EpilogueSchedule::nosmem) {
    e.in_smem = false;
    return e;
  }
  const Bytes tiles = Bytes{t.m / tile.m} * (t.n / tile.n);
  e.stages_d = least(tiles, 2);
  e.stages_c = activation ? e.stages_d : least(tiles, 4);
  e.c_bits = activation ? 8 : 0;
  e.d_bits = out;
  e.d_void = t.epilogue == Epilogue::finalize;
  e.contiguous = column_major_d(t) ? tile.m : tile.contiguous_n;
  e.thread = e.d_void ? finalize_row(t, out) : Span{0, 1};
  e.tensormaps = 256;
  e.fragment = tile.m * tile.n / 128;  // 128 epilogue threads
  return e;
}

constexpr CutlassSpec sm100_grouped(const Tile& t) {
  const OperandsRow& o = row(t.operands);
  const bool block_scaled = o.scale_vector > 0, two_sm = t.cluster.m == 2;
  const Bytes k = t.k, maps = block_scaled ? 4 : 2;
  CutlassSpec s;
  s.shell = Shell::umma;
  s.epilogue = sm100_epilogue(t, sm100_epilogue_tile(t));
  s.mainloop.align = 128;
  s.mainloop.add(Part::mainloop_a, t.m * k * o.smem_bits / 8, 128);
  s.mainloop.add(Part::mainloop_b, t.n / (two_sm ? 2 : 1) * k * o.smem_bits / 8, 128);
  if (block_scaled) {
    s.mainloop.add(Part::mainloop_sfa, round_up(t.m, 128) * k / o.scale_vector, 128);
    s.mainloop.add(Part::mainloop_sfb, round_up(t.n, 128) * k / o.scale_vector, 128);
  }
  s.mainloop.tensormaps = 128 * maps;
  BuilderSpec& b = s.builder;
  b.capacity = kSm100Capacity;
  b.accumulator_stages = sm100_accumulators(block_scaled, t.m, t.n, two_sm);
  b.scheduler_stages = 8;
  b.pipeline_per_stage = block_scaled ? 128 : 16;
  b.reserve("accumulator pipeline", Part::pipeline_accumulator, 16 * b.accumulator_stages);
  b.reserve("CLC pipelines", Part::pipeline_clc, 256);
  b.reserve("load-order barrier", Part::pipeline_load_order, 16);
  b.reserve("TMEM dealloc barrier", Part::pipeline_tmem_dealloc, 8);
  b.reserve("CLC throttle pipeline", Part::pipeline_clc_throttle, 128);
  b.reserve("CLC responses", Part::clc_response, 256);
  b.reserve("TMEM pointers", Part::tmem_ptr, 32);
  b.reserve("tensor maps, five sets", Part::tensormap_all, 5 * 128 * maps);
  b.reserve("tensor-map-ready pipeline", Part::pipeline_tensormap_ready, 128);
  return s;
}

/// MMA K is 3 x 256 elements; A and B come in buffers of 128 bytes of K, scales in quarters of it.
constexpr CutlassSpec sm103_nvfp4(const Tile& t) {
  const bool two_sm = t.cluster.m == 2;
  CutlassSpec s;
  s.shell = Shell::ultra;
  const bool nosmem = t.epilogue_schedule == EpilogueSchedule::nosmem;
  const int tile_n = nosmem ? 64 : t.n == 256 ? 128 : 32;
  s.epilogue = sm100_epilogue(t, {128, tile_n, tile_n});
  s.epilogue.bare_bytes = 32;
  s.epilogue.bare_align = 16;
  s.mainloop.align = 128;
  s.mainloop.add(Part::mainloop_a, Bytes{t.m} * 128, 128);
  s.mainloop.add(Part::mainloop_b, Bytes{t.n} * 128 / (two_sm ? 2 : 1), 128);
  s.mainloop.add(Part::mainloop_sfa, round_up(t.m, 128) * 12, 16, true);
  s.mainloop.add(Part::mainloop_sfb, round_up(t.n, 128) * 12, 16, true);
  s.mainloop.tensormaps = 512;
  BuilderSpec& b = s.builder;
  b.capacity = kSm100Capacity;
  b.accumulator_stages = t.n == 256 ? 1 : 2;
  b.scheduler_stages = 3;
  b.pipeline_per_stage = 32;  // one pipeline of each ring
  b.reserve("accumulator pipeline", Part::pipeline_accumulator, 16 * b.accumulator_stages);
  b.reserve("CLC pipeline", Part::pipeline_clc, 48);
  b.reserve("load-order barrier", Part::pipeline_load_order, 16);
  b.reserve("CLC response", Part::clc_response, 48);
  b.reserve("CLC throttle pipeline", Part::pipeline_clc_throttle, 48);
  b.reserve("TMEM dealloc barrier", Part::pipeline_tmem_dealloc, 8);
  b.reserve("TMEM pointers", Part::tmem_ptr, 4 * b.accumulator_stages);
  b.reserve("tensor maps", Part::tensormap_all, 512);
  s.names_storages = true;
  return s;
}

}  // namespace tilefit
