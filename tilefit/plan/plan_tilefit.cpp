// SPDX-License-Identifier: Apache-2.0
// Kernels of this library: the same tables and layout functions that they are compiled from.
#include "tilefit/plan/families.h"
#include "tilefit/plan/layout_sm90_w4a16.h"

namespace tilefit {
namespace {

bool is_w4a16(const Tile& t) {
  return t.operands == Operands::bf16xnvfp4 || t.operands == Operands::fp16xnvfp4;
}

/// The table's tile of this size; null where there is none.
const Tile* table_tile(const Tile& t) {
  for (const sm90_w4a16::Row& r : sm90_w4a16::kRows)
    if (r.tile.m == t.m && r.tile.n == t.n && r.tile.k == t.k) return &r.tile;
  return nullptr;
}

}  // namespace

void plan_tilefit(TilePlan& plan) {
  Tile& t = plan.request.tile;
  plan.outcome = Outcome::not_built;
  if (plan.request.arch->cc != 90) {
    plan.reason = "this library's kernels are for sm_90";
    return;
  }
  if (!is_w4a16(t)) {
    plan.reason = "this library's sm_90 kernels take bf16xnvfp4 or fp16xnvfp4";
    return;
  }
  if (t.kernel != KernelKind::grouped ||
      (t.epilogue != Epilogue::none && t.epilogue != Epilogue::finalize)) {
    plan.reason = "this library's kernels are grouped, with epilogue none or finalize";
    return;
  }
  const Tile* known = table_tile(t);
  if (known == nullptr) {
    plan.reason =
        "no such tile in the table (tilefit/plan/layout_sm90_w4a16.h): M are rows of the weight, N "
        "tokens";
    return;
  }
  t.mainloop = known->mainloop;
  t.schedule = known->schedule;
  t.epilogue_schedule = known->epilogue_schedule;
  t.swap_ab = known->swap_ab;
  plan.stages_auto = known->stages;
  plan.stages = t.stages > 0 ? t.stages : known->stages;
  Tile laid_out = t;
  laid_out.stages = plan.stages;
  plan.smem = sm90_w4a16::layout(laid_out);
  plan.builds = plan.stages == known->stages ? Builds::compiled : Builds::type_only;
  plan.source = plan.stages == known->stages
                    ? "a row of this library's table, compiled for sm_90a"
                    : "not the table's stage count: the kernel would have to be compiled";
}

}  // namespace tilefit
