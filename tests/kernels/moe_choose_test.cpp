// SPDX-License-Identifier: Apache-2.0
// The heuristic's choices at points where measured times differ by more than their spread.
#include <gtest/gtest.h>

#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

int rows_of_tile(int experts, int n, int k, std::int64_t m) {
  Gemm g;
  g.weights = {.experts = experts, .n = n, .k = k, .split = n};
  g.expected_rows = m;
  return sm90_w4a16::kRows[static_cast<std::size_t>(choose_row(g, 132))].tile.m;
}
int tokens_of_tile(int experts, int n, int k, std::int64_t m) {
  Gemm g;
  g.weights = {.experts = experts, .n = n, .k = k, .split = n};
  g.expected_rows = m;
  return sm90_w4a16::kRows[static_cast<std::size_t>(choose_row(g, 132))].tile.n;
}

TEST(Choose, WidensWithTheRows) {
  EXPECT_EQ(tokens_of_tile(32, 4096, 6144, 1), 32);
  EXPECT_EQ(tokens_of_tile(32, 4096, 6144, 32), 32);
  EXPECT_EQ(tokens_of_tile(32, 4096, 6144, 64), 64);
  for (const int m : {96, 128, 256, 1024, 4096})
    EXPECT_EQ(tokens_of_tile(32, 4096, 6144, m), 128) << m;
}

TEST(Choose, NarrowSlicesTakeSmallTiles) {
  for (const int m : {1, 8, 64}) EXPECT_EQ(rows_of_tile(32, 512, 6144, m), 128) << m;
}

TEST(Choose, TakesTheRowThatIsAskedFor) {
  Gemm g;
  g.weights = {.experts = 1, .n = 128, .k = 128, .split = 128};
  for (int row = 0; row < static_cast<int>(sm90_w4a16::kRows.size()); ++row) {
    g.tile_row = row;
    EXPECT_EQ(choose_row(g, 132), row);
  }
}

TEST(Choose, SpreadsTotalRowsWhenNothingIsExpected) {
  Gemm g;
  g.weights = {.experts = 32, .n = 4096, .k = 6144, .split = 4096};
  g.total_rows = 32 * 128;
  Gemm expected = g;
  expected.expected_rows = 128;
  EXPECT_EQ(choose_row(g, 132), choose_row(expected, 132));
}

}  // namespace
}  // namespace tilefit::moe
