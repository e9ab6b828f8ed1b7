// SPDX-License-Identifier: Apache-2.0
// Families beside CUTLASS: Triton's fused MoE kernel against what its compiler said for each row of
// a table and against public error messages; DeepGEMM against sums worked out by hand; and what
// must hold for every plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tilefit/plan/plan.h"
#include "tilefit/plan/sweep.h"

namespace tilefit {
namespace {

TileRequest triton(int cc, Operands operands, int m, int n, int k, int warps, int stages) {
  TileRequest r{.arch = find_arch(cc), .family = Family::triton};
  r.tile.operands = operands;
  r.tile.m = m;
  r.tile.n = n;
  r.tile.k = k;
  r.tile.warps = warps;
  r.tile.stages = stages;
  return r;
}

TEST(Triton, EveryCompiledKernelIsExactOrUnknown) {
  std::ifstream file(std::string(TILEFIT_TESTS_DIR) + "/data/triton_smem.csv");
  ASSERT_TRUE(file);
  std::string line;
  std::getline(file, line);
  int rows = 0, exact = 0;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string release, cc, dtype, m, n, k, warps, stages, bytes;
    for (std::string* field : {&release, &cc, &dtype, &m, &n, &k, &warps, &stages, &bytes})
      std::getline(in, *field, ',');
    const Operands operands = dtype == "bf16"  ? Operands::bf16
                              : dtype == "fp8" ? Operands::fp8
                                               : Operands::fp8blockwise;
    const TilePlan plan = plan_tile(triton(std::stoi(cc), operands, std::stoi(m), std::stoi(n),
                                           std::stoi(k), std::stoi(warps), std::stoi(stages)));
    ++rows;
    if (plan.outcome == Outcome::unknown) continue;
    ++exact;
    EXPECT_EQ(plan.smem.total, std::stoll(bytes)) << line;
  }
  EXPECT_GT(rows, 250);
  EXPECT_GT(exact, rows * 3 / 4) << "of " << rows << " rows";
}

// sglang#28038, #28019: fp8 128x256x128, 8 warps, 4 stages needs 147456 bytes; 3 stages 98304.
TEST(Triton, PublicReportsOnFp8) {
  for (const int cc : {120, 121}) {
    EXPECT_EQ(plan_tile(triton(cc, Operands::fp8, 128, 256, 128, 8, 4)).over(), 46080);
    const TilePlan three = plan_tile(triton(cc, Operands::fp8, 128, 256, 128, 8, 3));
    EXPECT_EQ(three.smem.total, 98304);
    EXPECT_EQ(three.outcome, Outcome::fits);
  }
}

// sglang#34486: a dense fp16 kernel of this shape needs 8192 bytes more than its buffers; a Hopper
// kernel (Qwen) keeps all stages and 1024 bytes more. Neither may be answered by the wrong sum.
TEST(Triton, OtherKernelsAreUnknown) {
  TileRequest dense = triton(89, Operands::bf16, 128, 256, 64, 8, 3);
  dense.tile.kernel = KernelKind::dense;
  EXPECT_EQ(plan_tile(dense).outcome, Outcome::unknown);
  EXPECT_EQ(plan_tile(triton(90, Operands::fp8, 128, 128, 256, 8, 4)).outcome, Outcome::unknown);
  EXPECT_EQ(plan_tile(triton(90, Operands::fp8, 128, 128, 128, 8, 4)).outcome, Outcome::unknown);
  EXPECT_EQ(plan_tile(triton(120, Operands::nvfp4, 128, 128, 128, 8, 4)).outcome, Outcome::unknown);
  EXPECT_EQ(plan_tile(triton(120, Operands::fp8, 96, 128, 128, 8, 4)).outcome, Outcome::unknown);
  EXPECT_EQ(plan_tile(triton(120, Operands::fp8, 128, 128, 128, 0, 4)).outcome, Outcome::unknown);
}

TileRequest deepgemm(int cc, Operands operands, int m, int n, int k, int problem_k = 0) {
  TileRequest r{.arch = find_arch(cc), .family = Family::deepgemm};
  r.tile.operands = operands;
  r.tile.m = m;
  r.tile.n = n;
  r.tile.k = k;
  r.tile.problem_k = problem_k;
  return r;
}

// 128x128x128, K = 7168: D 32768, barriers 256, 56 scales of B 224; a stage 16384 + 16384 + 512.
// (232448 - 33248) / 33280 = 5 stages.
TEST(DeepGemm, Fp8OnHopperByHand) {
  const TilePlan p = plan_tile(deepgemm(90, Operands::fp8blockwise, 128, 128, 128, 7168));
  EXPECT_EQ(p.outcome, Outcome::fits);
  EXPECT_EQ(p.stages, 5);
  EXPECT_EQ(p.smem.total, 33248 + 5 * 33280);
  // N = 112 does not divide 128: twice the scales. D 28672; (232448 - 29376) / 31232 = 6.
  const TilePlan q = plan_tile(deepgemm(90, Operands::fp8blockwise, 128, 112, 128, 7168));
  EXPECT_EQ(q.stages, 6);
  EXPECT_EQ(q.smem.total, 28672 + 256 + 448 + 6 * 31232);
  EXPECT_EQ(plan_tile(deepgemm(90, Operands::fp8blockwise, 128, 128, 128)).outcome,
            Outcome::unknown);
}

// bf16 128x256x64: D 65536 + 256; a stage 16384 + 32768; (232448 - 65792) / 49152 = 3.
TEST(DeepGemm, Bf16OnHopperByHand) {
  const TilePlan p = plan_tile(deepgemm(90, Operands::bf16, 128, 256, 64));
  EXPECT_EQ(p.stages, 3);
  EXPECT_EQ(p.smem.total, 65792 + 3 * 49152);
  EXPECT_EQ(plan_tile(deepgemm(90, Operands::bf16, 256, 256, 64)).outcome, Outcome::not_built);
}

// Swapped, a pair of CTAs along N: D 16 x 128 x 2 x 2 = 8192, barriers 808, 4; a stage 64 x 128 of
// A (each CTA loads its half), 128 x 128 of B, 512 + 512 of scales; 8 stages.
TEST(DeepGemm, Fp8OnBlackwellByHand) {
  TileRequest r = deepgemm(100, Operands::mxfp8, 128, 128, 128);
  r.tile.swap_ab = true;
  r.tile.cluster = {1, 2, 1};
  const TilePlan p = plan_tile(r);
  EXPECT_EQ(p.stages, 8);
  EXPECT_EQ(p.smem.total, 8192 + 808 + 4 + 8 * (8192 + 16384 + 1024));
  r.tile.swap_ab = false;
  EXPECT_EQ(plan_tile(r).outcome, Outcome::not_built);
}

TEST(Families, RegionsCoverTheStorage) {
  int plans = 0;
  for (const int cc : {89, 90, 100, 103, 120})
    for (const Family family : {Family::triton, Family::deepgemm})
      for (const OperandsRow& o : kOperands)
        for (const int stages : {0, 2, 3, 5}) {
          TileRequest request{.arch = find_arch(cc), .family = family};
          request.tile.operands = o.operands;
          request.tile.stages = stages;
          request.tile.warps = 4;
          request.tile.problem_k = 4096;
          for (const SweepRow& row : sweep_space(request, {}).rows) {
            request.tile = row.tile;
            const TilePlan plan = plan_tile(request);
            Bytes end = 0;
            for (const Region& r : plan.smem) {
              ASSERT_EQ(r.offset, end);
              ASSERT_GT(r.bytes, 0);
              end = r.end();
            }
            ASSERT_EQ(end, plan.smem.total);
            ASSERT_EQ(plan.outcome == Outcome::fits, plan.smem.total <= plan.limit);
            if (family == Family::deepgemm) {
              ASSERT_LE(plan.smem.total, 232448);
            }
            ++plans;
          }
        }
  EXPECT_GT(plans, 500);
}

}  // namespace
}  // namespace tilefit
