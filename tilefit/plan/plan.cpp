// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/plan.h"

#include <algorithm>

#include "tilefit/plan/cutlass_rules.h"
#include "tilefit/plan/families.h"

namespace tilefit {
namespace {

constexpr std::string_view kStagesAssert =
    "static_assert: Specialization requires Stages set to value 2 or more.";

void refuse(TilePlan& plan, Outcome outcome, std::string_view reason, std::string_view source) {
  plan.outcome = outcome;
  plan.builds = outcome == Outcome::rejected || outcome == Outcome::too_few_stages
                    ? Builds::refused
                    : Builds::type_only;
  plan.reason = reason;
  plan.source = source;
}

/// What the launcher makes of choices left open, so that a plan names the kernel it speaks of.
Tile resolve(const Tile& asked, CutlassKind kind) {
  Tile t = asked;
  if (kind == CutlassKind::sm90_mixed) {
    t.mainloop = Mainloop::mixed;
    t.swap_ab = true;  // the weight is operand A
    const bool pingpong =
        t.m < 128 || (t.m == 128 && t.n == 128 && t.k == 512);  // as its tuner offers them
    if (t.schedule == Schedule::automatic)
      t.schedule = pingpong ? Schedule::pingpong : Schedule::cooperative;
  }
  return t;
}

const TileRule* first_rule(const RuleInput& in) {
  for (const TileRule& r : kTileRules)
    if ((r.kind == CutlassKind::none || r.kind == in.kind) && r.applies(in)) return &r;
  return nullptr;
}

void judge_device_code(TilePlan& plan, const RuleInput& in) {
  for (const DeviceRule& r : kDeviceRules)
    if (r.kind == in.kind && r.applies(in)) {
      plan.builds = Builds::refused;
      plan.reason = r.reason;
      plan.source = r.source;
      return;
    }
  const bool asserts_capacity =
      in.kind == CutlassKind::sm100_grouped || in.kind == CutlassKind::sm103_nvfp4;
  if (asserts_capacity && plan.smem.total > kSm100Capacity) {
    plan.builds = Builds::refused;
    plan.reason = "static_assert: SMEM usage exceeded capacity.";
    plan.source = "sm100_gemm_array_tma_warpspecialized.hpp";
    return;
  }
  for (const DeviceRule& r : kCompiled)
    if (r.kind == in.kind && r.applies(in)) {
      plan.builds = Builds::compiled;
      plan.source = r.source;
      return;
    }
}

/// Why `family` has no kernel of this kind, or none that is modelled; empty where it has one.
std::string_view family_gap(const TileRequest& request, CutlassKind kind) {
  const bool sm120 = kind == CutlassKind::sm120_blockscaled || kind == CutlassKind::sm120_blockwise;
  const bool grouped =
      request.tile.kernel == KernelKind::grouped && kind != CutlassKind::sm120_blockwise;
  switch (request.family) {
    case Family::cutlass_moe:
      if (kind == CutlassKind::none)
        return "the launcher has no TMA warp-specialised kernel for these operands on this "
               "architecture";
      return grouped ? ""
                     : "the launcher has grouped, block-scaled kernels on this architecture; plain "
                       "collectives are --family cutlass";
    case Family::cutlass:
      return sm120 ? ""
                   : "plain collectives are modelled for block-scaled and fp8 blockwise operands "
                     "on sm_120 and sm_121";
    case Family::triton:
    case Family::deepgemm:
      return "no CUTLASS kernel";
    case Family::tilefit:
      return "kernels of this library are not modelled";
  }
  return "";
}

/// Stage counts that the compiler was never asked about; empty = none of them.
std::string_view stage_gap(CutlassKind kind, const Tile& t, int stages) {
  const bool umma = kind == CutlassKind::sm100_grouped || kind == CutlassKind::sm103_nvfp4;
  if (umma && stages == 1) return "whether one stage compiles on this architecture is not known";
  const bool half_atom =
      kind == CutlassKind::sm90_same && t.operands != Operands::fp8 && Bytes{t.n} * t.k % 1024 != 0;
  if (half_atom && stages % 2 != 0)
    return "an odd number of stages of less than 1024 elements was never compiled for this model";
  return "";
}

}  // namespace

int blocks_by_smem(const Arch& arch, Bytes bytes) {
  if (arch.smem_granularity == 0 || bytes > arch.smem_per_block) return 0;
  const Bytes block = round_up(bytes, arch.smem_granularity) + arch.smem_reserved;
  if (block == 0) return arch.blocks_per_sm;
  return static_cast<int>(std::min<Bytes>(arch.smem_per_sm / block, arch.blocks_per_sm));
}

namespace {
/// The outcome of storage whose size is known.
void settle(TilePlan& plan) {
  plan.outcome = plan.over() > 0 ? Outcome::over_limit : Outcome::fits;
  if (plan.outcome == Outcome::fits)
    plan.blocks_per_sm = blocks_by_smem(*plan.request.arch, plan.needed());
}
}  // namespace

TilePlan plan_tile(const TileRequest& request) {
  TilePlan plan{.request = request};
  plan.limit = request.limit > 0 ? request.limit : request.arch->smem_per_block;
  for (const FamilyPlanner& family : kFamilyPlanners)
    if (family.family == request.family) {
      family.plan(plan);
      if (plan.has_bytes()) settle(plan);
      return plan;
    }
  const CutlassKind kind = cutlass_kind(request.arch->cc, request.tile);
  if (const std::string_view gap = family_gap(request, kind); !gap.empty()) {
    refuse(plan, request.family == Family::cutlass_moe ? Outcome::not_built : Outcome::unknown, gap,
           "");
    return plan;
  }
  plan.request.tile = resolve(request.tile, kind);
  const RuleInput in{request.arch->cc, kind, request.builder, &plan.request.tile};
  if (const TileRule* r = first_rule(in)) {
    refuse(plan, r->outcome, r->reason, r->source);
    return plan;
  }
  const CutlassStorage s =
      cutlass_storage(row(kind).spec(plan.request.tile, request.builder), plan.request.tile.stages);
  plan.stages = s.stages;
  plan.stages_auto = s.builder.quotient;
  if (const std::string_view gap = stage_gap(kind, plan.request.tile, s.stages); !gap.empty()) {
    plan.stages = plan.stages_auto = 0;
    refuse(plan, Outcome::unknown, gap, "");
    return plan;
  }
  if (s.stages < 2) {
    const bool sm120 = kind == CutlassKind::sm120_blockscaled;
    refuse(plan, Outcome::too_few_stages, kStagesAssert,
           sm120 ? "sm120_blockscaled_mma_array_tma.hpp:225" : "");
    return plan;
  }
  plan.smem = s.plan;
  settle(plan);
  judge_device_code(plan, in);
  return plan;
}

bool cutlass_storage_of(const TileRequest& request, CutlassStorage& storage) {
  const CutlassKind kind = cutlass_kind(request.arch->cc, request.tile);
  if (!family_gap(request, kind).empty()) return false;
  const Tile tile = resolve(request.tile, kind);
  if (first_rule({request.arch->cc, kind, request.builder, &tile}) != nullptr) return false;
  storage = cutlass_storage(row(kind).spec(tile, request.builder), tile.stages);
  return stage_gap(kind, tile, storage.stages).empty();
}

}  // namespace tilefit
