// SPDX-License-Identifier: Apache-2.0
// Shared memory of DeepGEMM's GEMM kernels for sm_90 and sm_100, from the public sizes of its
// heuristics (csrc/jit_kernels/heuristics/sm90.hpp, sm100.hpp) and the order in which its kernels
// place things (deep_gemm/include/deep_gemm/impls/*.cuh), at commit 54e2261 of June 2026.
#pragma once

#include <algorithm>
#include <numeric>

#include "tilefit/model/smem_plan.h"
#include "tilefit/model/tile.h"

namespace tilefit::deepgemm {

inline constexpr Bytes kCapacity = 232448;  // of both architectures, in its sources

/// Which kernel: bf16 without scales; fp8 with a scale for each 1x128 of A and 128x128 of B (1d2d);
/// fp8 with a scale for each 1x128 of both (1d1d; on sm_100 also FP4 weights).
enum class Kind { none, bf16, fp8_1d2d, fp8_1d1d };

struct Spec {
  Kind kind = Kind::none;
  int m = 0, n = 0, k = 0;     // tile; K is 128 bytes
  int load_m = 0, load_n = 0;  // rows of A and B that one CTA of a cluster loads
  int d_bytes = 0;             // of one element of D
  bool swap_ab = false;        // sm_100
  Bytes sfb_once = 0;          // 1d2d: the scales of B for all of K, kept once
};

struct Storage {
  SmemPlan plan;
  int stages = 0;
};

constexpr int element_bytes(Kind kind) { return kind == Kind::bf16 ? 2 : 1; }

/// The most stages that fit, up to `most`, as its heuristics divide.
constexpr int stages_of(Bytes fixed, Bytes stage, int most) {
  return static_cast<int>(std::min<Bytes>((kCapacity - fixed) / stage, most));
}

/// sm_90: D, then all stages of A, of B, of A's scales, of B's; scales of B kept once; barriers.
/// Its host side always reserves the barriers of 16 stages.
constexpr Storage sm90(const Spec& s) {
  constexpr int kMostStages = 16;
  const Bytes a = Bytes{s.load_m} * s.k * element_bytes(s.kind);
  const Bytes b = Bytes{s.load_n} * s.k * element_bytes(s.kind);
  const Bytes sfa = s.kind == Kind::bf16 ? 0 : round_up(Bytes{s.m} * 4, 128);
  const Bytes sfb = s.kind == Kind::fp8_1d1d ? round_up(Bytes{s.n} * 4, 128) : 0;
  const Bytes d = round_up(Bytes{s.m} * s.n * s.d_bytes, 1024);
  const Bytes barriers = Bytes{kMostStages} * 8 * 2;
  Storage out;
  out.stages = stages_of(d + barriers + s.sfb_once, a + b + sfa + sfb, kMostStages);
  if (out.stages < 1) return out;
  out.plan.add(Part::epilogue_d, d, 1);
  out.plan.add(Part::mainloop_a, a * out.stages, 1);
  out.plan.add(Part::mainloop_b, b * out.stages, 1);
  out.plan.add(Part::mainloop_scale_a, sfa * out.stages, 1);
  out.plan.add(Part::mainloop_scale_b, sfb * out.stages + s.sfb_once, 1);
  out.plan.add(Part::pipeline_mainloop, Bytes{out.stages} * 8 * 2, 1);
  out.plan.pad_to(out.plan.total + (kMostStages - out.stages) * 8 * 2);
  out.plan.finish(1);
  return out;
}

/// sm_100: two buffers of D, then A, B and the packed scales of both, barriers (three a stage, four
/// of the accumulator, one more) for 32 stages, the address of the tensor memory.
constexpr Storage sm100(const Spec& s) {
  constexpr int kMostStages = 32, kUmmaM = 128, kStoreStep = 16;
  const Bytes a = Bytes{s.load_m} * s.k * element_bytes(s.kind);
  const Bytes b = Bytes{s.load_n} * s.k * element_bytes(s.kind);
  const bool scaled = s.kind == Kind::fp8_1d1d;
  const Bytes sfa = scaled ? round_up(s.m, 128) * 4 : 0, sfb = scaled ? round_up(s.n, 128) * 4 : 0;
  const Bytes row = Bytes{s.n} * s.d_bytes;
  const Bytes swizzle = row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : row % 32 == 0 ? 32 : 16;
  const Bytes d = s.swap_ab ? kStoreStep * row * 2 : std::min(kUmmaM, s.m) * swizzle * 2;
  const Bytes barriers = Bytes{kMostStages} * 8 * 3 + 2 * 8 * 2 + 8, tmem = 4;
  Storage out;
  out.stages = stages_of(d + barriers + tmem, a + b + sfa + sfb, kMostStages);
  if (out.stages < 1) return out;
  const Bytes used = Bytes{out.stages} * 8 * 3 + 2 * 8 * 2 + (scaled ? 0 : 8);
  out.plan.add(Part::epilogue_d, d, 1);
  out.plan.add(Part::mainloop_a, a * out.stages, 1);
  out.plan.add(Part::mainloop_b, b * out.stages, 1);
  out.plan.add(Part::mainloop_sfa, sfa * out.stages, 1);
  out.plan.add(Part::mainloop_sfb, sfb * out.stages, 1);
  out.plan.add(Part::pipeline_mainloop, used, 1);
  out.plan.add(Part::tmem_ptr, tmem, 1);
  out.plan.pad_to(out.plan.total + barriers - used);
  out.plan.finish(1);
  return out;
}

}  // namespace tilefit::deepgemm
