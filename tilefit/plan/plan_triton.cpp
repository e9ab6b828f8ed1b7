// SPDX-License-Identifier: Apache-2.0
// Triton's fused MoE kernel (vLLM's and SGLang's fused_moe_kernel), where its compiler was asked:
// all but one of num_stages blocks of A and B stand in shared memory on GPUs without wgmma; what
// the compiler moves between layouts in the loop comes on top. Checked against Triton 3.6.0
// compiling such a kernel for each block size of tests/data/triton_smem.csv; everything else is
// unknown.
#include <algorithm>

#include "tilefit/plan/families.h"

namespace tilefit {
namespace {

constexpr std::string_view kSource = "compiled with Triton 3.6.0 (tests/data/triton_smem.csv)";

void refuse(TilePlan& plan, Outcome outcome, std::string_view reason) {
  plan.outcome = outcome;
  plan.reason = reason;
}

constexpr bool power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

/// Ada and consumer Blackwell take mma.sync on 8-bit types; Ampere has no FP8.
bool asked_for(int cc, Operands o) {
  if (cc == 89 || cc / 10 == 12) return true;
  return cc == 80 && o == Operands::bf16;
}

/// Block sizes, warps and stages that the table covers. More stages than were compiled only add
/// buffers; with few of them what the epilogue moves between layouts may need more, so that small
/// counts are taken where they were compiled.
bool inside_table(const Tile& t) {
  const bool blocks = power_of_two(t.m) && power_of_two(t.n) && t.m >= 16 && t.m <= 128 &&
                      t.n >= 32 && t.n <= 256 && (t.k == 64 || t.k == 128);
  const int least = t.warps == 8 ? 3 : Bytes{t.m} * t.n <= 64 * 128 ? 1 : 2;
  return blocks && (t.warps == 4 || t.warps == 8) && t.stages >= least && t.stages <= 5;
}

/// With a scale for each block of 128, the longer of the two vectors of scales changes its layout
/// in the loop through shared memory, if it has an element for each thread at least.
Bytes scale_exchange(const Tile& t) {
  const int longest = std::max(t.m, t.n);
  return t.operands == Operands::fp8blockwise && longest >= 32 * t.warps ? Bytes{longest} * 4 : 0;
}

}  // namespace

void plan_triton(TilePlan& plan) {
  const Tile& t = plan.request.tile;
  const int cc = plan.request.arch->cc;
  if (t.kernel != KernelKind::grouped)
    return refuse(plan, Outcome::unknown,
                  "of Triton's kernels the fused MoE kernel is modelled, not dense ones");
  if (t.operands != Operands::bf16 && t.operands != Operands::fp8 &&
      t.operands != Operands::fp8blockwise)
    return refuse(
        plan, Outcome::unknown,
        "the fused MoE kernel is modelled for bf16, fp8 (one scale a tensor) and fp8blockwise");
  if (t.operands == Operands::fp8blockwise && t.scale_granularity != ScaleGranularity{1, 128})
    return refuse(plan, Outcome::unknown,
                  "fp8blockwise is modelled for scales of 1x128 and 128x128");
  if (!asked_for(cc, t.operands))
    return refuse(plan, Outcome::unknown,
                  "Triton's compiler was not asked for this architecture and these operands, or "
                  "keeps other buffers there (wgmma)");
  if (t.stages == 0)
    return refuse(plan, Outcome::unknown, "a Triton configuration names its stages: give --stages");
  if (t.warps == 0)
    return refuse(plan, Outcome::unknown,
                  "what is moved between layouts depends on num_warps: give --warps");
  if (!inside_table(t))
    return refuse(plan, Outcome::unknown,
                  "outside what was compiled: powers of two, M 16 to 128, N 32 to 256, K 64 or "
                  "128, 4 or 8 warps, 1 to 5 stages (8 warps: 3 to 5; M x N above 8192: from 2)");
  const Bytes element = t.operands == Operands::bf16 ? 2 : 1;
  const Bytes buffers = std::max(t.stages - 1, 1);
  const Bytes a = t.m * t.k * element, b = t.n * t.k * element;
  plan.stages = plan.stages_auto = t.stages;
  plan.smem.add(Part::mainloop_a, a * buffers, 1);
  plan.smem.add(Part::mainloop_b, b * buffers, 1);
  if (t.stages > 1) plan.smem.add(Part::mainloop_scale, scale_exchange(t), 1);
  plan.smem.finish(1);
  plan.source = kSource;
}

}  // namespace tilefit
