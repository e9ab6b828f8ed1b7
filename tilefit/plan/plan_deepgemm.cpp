// SPDX-License-Identifier: Apache-2.0
// DeepGEMM chooses tiles itself; a tile that its heuristics never take has no kernel.
#include "tilefit/plan/deepgemm.h"
#include "tilefit/plan/families.h"

namespace tilefit {
namespace {

using deepgemm::Kind;

constexpr std::string_view kSm90Source = "DeepGEMM csrc/jit_kernels/heuristics/sm90.hpp";
constexpr std::string_view kSm100Source = "DeepGEMM csrc/jit_kernels/heuristics/sm100.hpp";

Kind kind_of(const Tile& t, bool sm90) {
  switch (t.operands) {
    case Operands::bf16:
      return Kind::bf16;
    case Operands::mxfp8:
    case Operands::mxfp8xmxfp4:
      return sm90 ? Kind::none : Kind::fp8_1d1d;
    case Operands::fp8blockwise:
      if (!sm90) return Kind::fp8_1d1d;
      if (t.scale_granularity == ScaleGranularity{1, 128}) return Kind::fp8_1d2d;
      return t.scale_granularity == ScaleGranularity{1, 1} ? Kind::fp8_1d1d : Kind::none;
    default:
      return Kind::none;
  }
}

Dtype d_type(const Tile& t) { return t.d == Dtype::automatic ? t.out : t.d; }

/// A rule about the tile; the first that applies is the answer.
struct Rule {
  Outcome outcome;
  bool (*applies)(const Tile&, Kind, bool sm90);
  std::string_view reason;
};

bool grouped(const Tile& t) { return t.kernel == KernelKind::grouped; }

// clang-format off
constexpr Rule kRules[] = {
    {Outcome::not_built, [](const Tile&, Kind k, bool) { return k == Kind::none; },
     "DeepGEMM has bf16 and fp8 kernels: bf16, fp8blockwise (granularity 1x128 or 1x1), on sm_100 also mxfp8, mxfp8xmxfp4"},
    {Outcome::not_built, [](const Tile& t, Kind k, bool) { return t.k * deepgemm::element_bytes(k) != 128; },
     "K of a tile is 128 bytes"},
    {Outcome::not_built, [](const Tile& t, Kind, bool) { return t.epilogue == Epilogue::finalize || t.epilogue == Epilogue::activation; },
     "these kernels write rows; they fuse neither FINALIZE nor an activation"},
    {Outcome::not_built, [](const Tile& t, Kind, bool) { return d_type(t) != Dtype::bf16 && d_type(t) != Dtype::f32; },
     "D is bf16 or f32"},
    {Outcome::unknown, [](const Tile& t, Kind, bool) { return t.stages != 0; },
     "its heuristics choose the stages; other counts are not modelled"},
    {Outcome::not_built, [](const Tile& t, Kind, bool) { return t.cluster.m * t.cluster.n > 2 || t.cluster.k != 1 || t.cluster.dynamic; },
     "clusters are 1x1, 2x1 or 1x2"},
    // sm_90
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return sm90 && t.swap_ab; },
     "sm_90 kernels do not swap A and B"},
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return sm90 && t.m != 64 && t.m != 128 && (grouped(t) || (t.m != 16 && t.m != 32 && t.m != 256)); },
     "M is 64 or 128, for dense problems also 16, 32 or 256"},
    {Outcome::not_built, [](const Tile& t, Kind k, bool sm90) { return sm90 && (t.n % 8 != 0 || t.n < 16 || t.n > (k == Kind::fp8_1d2d ? 192 : k == Kind::fp8_1d1d ? 160 : 256)); },
     "N goes from 16 in steps of 16 up to 256 (fp8: 192 with 1x128 scales of B, else 160)"},
    {Outcome::not_built, [](const Tile& t, Kind k, bool sm90) {
       const bool steps_from_24 = k == Kind::fp8_1d1d && d_type(t) == Dtype::f32;
       return sm90 && (steps_from_24 ? t.n != 16 && t.n % 16 != 8 : t.n % 16 != 0); },
     "N goes in steps of 16 from 16, or, with f32 output and 1x1 scales, is 16 or goes from 24"},
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return sm90 && t.m > 128 && t.n > 128; },
     "one of M and N is 128 at most, for registers"},
    {Outcome::not_built, [](const Tile& t, Kind k, bool sm90) { return sm90 && k == Kind::fp8_1d2d && t.n > t.k && t.n % (t.n - t.k) != 0 && t.k % (t.n - t.k) != 0; },
     "N above 128 must unroll against the 128 columns of a scale"},
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return sm90 && t.m == 256 && d_type(t) == Dtype::f32; },
     "M of 256 is for bf16 output"},
    // sm_100
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return !sm90 && grouped(t) && (!t.swap_ab || t.n != 128); },
     "grouped kernels on sm_100 swap A and B, with N of 128 (give --swap-ab)"},
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return !sm90 && t.swap_ab && (t.n != 128 || t.cluster.m != 1 || t.m % 16 != 0 || t.m > 256); },
     "swapped: N is 128, M a multiple of 16 up to 256, the cluster along N"},
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return !sm90 && !t.swap_ab && ((t.m != 32 && t.m != 64 && t.m != 128) || t.n % 16 != 0 || t.n > 256 || (t.n != 16 && t.n % 32 != 0) || t.cluster.n != 1); },
     "not swapped: M is 32, 64 or 128, N 16 or a multiple of 32 up to 256, the cluster along M"},
    {Outcome::not_built, [](const Tile& t, Kind k, bool sm90) {
       const Bytes scales = k == Kind::fp8_1d1d ? round_up(t.m, 128) / 32 + round_up(t.n, 128) / 32 : 0;
       return !sm90 && 2 * (t.swap_ab ? t.m : t.n) + scales > 512; },
     "two accumulators and the scales exceed the 512 columns of tensor memory"},
    {Outcome::not_built, [](const Tile& t, Kind, bool sm90) { return !sm90 && ((t.m / t.cluster.n) % 8 != 0 || (t.n / t.cluster.m) % 8 != 0); },
     "a CTA's share of M and N is a multiple of 8"},
};
// clang-format on

/// fp8 1d2d keeps the scales of B for the whole of K; twice where a tile can straddle two of them.
Bytes sfb_once(const Tile& t) {
  const Bytes blocks = (Bytes{t.problem_k} + t.k - 1) / t.k;
  return round_up(blocks * 4 * (t.k % t.n == 0 ? 1 : 2), 8);
}

void refuse(TilePlan& plan, Outcome outcome, std::string_view reason, std::string_view source) {
  plan.outcome = outcome;
  plan.reason = reason;
  plan.source = source;
}

}  // namespace

void plan_deepgemm(TilePlan& plan) {
  const int cc = plan.request.arch->cc;
  const Tile& t = plan.request.tile;
  const bool sm90 = cc == 90;
  const std::string_view source = sm90 ? kSm90Source : kSm100Source;
  if (!sm90 && cc / 10 != 10)
    return refuse(plan, Outcome::not_built, "DeepGEMM has kernels for sm_90, sm_100 and sm_103",
                  "");
  const Kind kind = kind_of(t, sm90);
  for (const Rule& rule : kRules)
    if (rule.applies(t, kind, sm90)) return refuse(plan, rule.outcome, rule.reason, source);
  if (kind == Kind::fp8_1d2d && t.problem_k == 0)
    return refuse(
        plan, Outcome::unknown,
        "this kernel keeps a scale for each 128 of the problem's K: give it with --problem-k",
        source);
  deepgemm::Spec spec{.kind = kind,
                      .m = t.m,
                      .n = t.n,
                      .k = t.k,
                      .load_m = t.m,
                      .load_n = t.n,
                      .d_bytes = bits(d_type(t)) / 8};
  if (kind == Kind::fp8_1d2d) spec.sfb_once = sfb_once(t);
  if (!sm90) {
    spec.load_m = t.m / t.cluster.n;
    spec.load_n = t.n / t.cluster.m;
    spec.swap_ab = t.swap_ab;
  }
  const deepgemm::Storage storage = sm90 ? deepgemm::sm90(spec) : deepgemm::sm100(spec);
  plan.stages = plan.stages_auto = storage.stages;
  const int least = sm90 ? (t.m * t.n < 128 * 192 ? 4 : 3) : 1;
  if (storage.stages < least)
    return refuse(plan, Outcome::not_built,
                  sm90 ? "its heuristics take no tile with fewer than 3 stages (4 below 128x192)"
                       : "not one stage fits",
                  source);
  plan.smem = storage.plan;
  plan.source = source;
}

}  // namespace tilefit
