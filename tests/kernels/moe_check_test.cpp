// SPDX-License-Identifier: Apache-2.0
// Arguments that are refused before anything runs, each with the field that is wrong.
#include <gtest/gtest.h>

#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

alignas(128) std::byte memory[1 << 16];

Gemm good() {
  Gemm g;
  g.weights = {.experts = 2, .n = 64, .k = 128, .split = 64, .packed = memory};
  g.a = g.out = memory;
  g.rows = reinterpret_cast<const std::int32_t*>(memory);
  g.a_stride = 128;
  g.out_stride = 64;
  g.total_rows = 10;
  return g;
}

template <class Change>
std::string refused_at(Change change) {
  Gemm g = good();
  change(g);
  const auto r = check(g);
  return r ? "" : r.error().where;
}

TEST(Check, AcceptsGood) {
  EXPECT_EQ(refused_at([](Gemm&) {}), "");
}

TEST(Check, NamesTheField) {
  EXPECT_EQ(refused_at([](Gemm& g) { g.a = nullptr; }), "a");
  EXPECT_EQ(refused_at([](Gemm& g) { g.a = memory + 8; }), "a");
  EXPECT_EQ(refused_at([](Gemm& g) { g.out = memory + 2; }), "out");
  EXPECT_EQ(refused_at([](Gemm& g) { g.weights.packed = memory + 64; }), "weights.packed");
  EXPECT_EQ(refused_at([](Gemm& g) { g.rows = nullptr; }), "rows");
  EXPECT_EQ(refused_at([](Gemm& g) { g.a_stride = 120; }), "a_stride");
  EXPECT_EQ(refused_at([](Gemm& g) { g.a_stride = 130; }), "a_stride");
  EXPECT_EQ(refused_at([](Gemm& g) { g.out_stride = 68; }), "out_stride");
  EXPECT_EQ(refused_at([](Gemm& g) { g.weights.experts = 513; }), "weights.experts");
  EXPECT_EQ(refused_at([](Gemm& g) { g.weights.experts = 0; }), "weights.experts");
  EXPECT_EQ(refused_at([](Gemm& g) { g.weights.n = 60; }), "weights.n");
  EXPECT_EQ(refused_at([](Gemm& g) { g.weights.k = 120; }), "weights.k");
  EXPECT_EQ(refused_at([](Gemm& g) { g.weights.split = 65; }), "weights.split");
  EXPECT_EQ(refused_at([](Gemm& g) { g.weights.activation = Dtype::e4m3; }), "weights.activation");
  EXPECT_EQ(refused_at([](Gemm& g) { g.out_type = Dtype::e2m1; }), "out_type");
  EXPECT_EQ(refused_at([](Gemm& g) { g.total_rows = -1; }), "total_rows");
  EXPECT_EQ(refused_at([](Gemm& g) { g.total_rows = std::int64_t{1} << 31; }), "total_rows");
  EXPECT_EQ(refused_at([](Gemm& g) { g.tile_row = 99; }), "tile_row");
  EXPECT_EQ(refused_at([](Gemm& g) { g.finalize = Finalize::atomic; }), "row_token");
  EXPECT_EQ(refused_at([](Gemm& g) {
              g.layout = RowLayout::masked;
              g.max_rows = std::int64_t{1} << 30;
            }),
            "max_rows");
}

/// Planner's bytes of every row; one stage more than fits does not.
TEST(Layout, RowsFitAndOneStageMoreDoesNot) {
  for (const auto& row : sm90_w4a16::kRows) {
    const Bytes limit = arch(90).smem_per_block;
    Tile t = row.tile;
    EXPECT_LE(sm90_w4a16::layout(t).total, limit);
    t.stages = sm90_w4a16::stages_that_fit(t, limit);
    EXPECT_LE(sm90_w4a16::layout(t).total, limit);
    ++t.stages;
    EXPECT_GT(sm90_w4a16::layout(t).total, limit);
    EXPECT_LE(row.blocks_per_sm * (sm90_w4a16::layout(row.tile).total + arch(90).smem_reserved),
              arch(90).smem_per_sm);
  }
}

TEST(Layout, RegionsCoverTheStorage) {
  for (const auto& row : sm90_w4a16::kRows) {
    const SmemPlan plan = sm90_w4a16::layout(row.tile);
    Bytes at = 0;
    for (const Region& r : plan) {
      EXPECT_EQ(r.offset, at);
      EXPECT_EQ(r.offset % r.align, 0);
      at = r.end();
    }
    EXPECT_EQ(at, plan.total);
  }
  const Tile first = sm90_w4a16::kRows[0].tile;  // by hand: 4 x (32 x 128 x 2) + 4 x 4 x 4608 + ...
  EXPECT_EQ(sm90_w4a16::layout(first).total, 4 * 8192 + 4 * 18432 + 2 * 8 * 4 + 16 * 513);
}

}  // namespace
}  // namespace tilefit::moe
