// SPDX-License-Identifier: Apache-2.0
// Which tile row to launch: the one with the least estimated time. The estimate is the largest of
// three: unpacking and MMAs of the busiest SM, its reads, and everybody's. The constants are cycles
// measured on an H200 (docs/kernels-sm90.md); ties go to the earlier row.
#include <algorithm>
#include <limits>

#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

/// A piece is 64 x 64 weights, 2304 bytes with their scales.
constexpr double kShareCycles = 121;  // to read one at an SM's share of the memory's rate
constexpr double kAloneCycles = 90;   // to read one at most, when other SMs have nothing to read
constexpr double kTileCycles = 2500;  // epilogue and refill, per tile in a row

/// Cycles of one piece against MMAs of `tokens` columns: the tensor cores' own, or the sum of what
/// unpacking and the accumulators take from the register file.
double piece_cycles(int tokens) { return std::max(2.0 * tokens, 95 + 1.2 * tokens); }

int width(const sm90_w4a16::Row& row, std::int64_t tokens) {
  for (const int w : row.token_widths)
    if (w >= tokens) return w;
  return row.tile.n;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

double estimate(const sm90_w4a16::Row& row, const Gemm& g, std::int64_t rows, int sms) {
  const packed_sm90::Shape shape{g.weights.experts, g.weights.n, g.weights.k};
  const std::int64_t n_tiles = ceil_div(shape.groups(), row.tile.m / sm90_w4a16::kGroupRows);
  const std::int64_t token_tiles = ceil_div(rows, row.tile.n);
  const std::int64_t tiles = n_tiles * token_tiles * shape.experts;
  // Tiles of the busiest SM; the hardware may put the first two blocks on one.
  const auto in_a_row = static_cast<double>(ceil_div(tiles, std::int64_t{sms} * row.blocks_per_sm) *
                                            row.blocks_per_sm);
  const double pieces = in_a_row * row.tile.m / 64 * shape.k_blocks() * 2;
  const double compute = pieces * piece_cycles(width(row, ceil_div(rows, token_tiles))) +
                         in_a_row / row.blocks_per_sm * kTileCycles;
  const double all_pieces =
      static_cast<double>(Bytes{shape.experts} * shape.groups()) * shape.k_blocks() * 4;
  return std::max({compute, pieces / static_cast<double>(token_tiles) * kAloneCycles,
                   all_pieces / sms * kShareCycles});
}

}  // namespace

int choose_row(const Gemm& g, int sms) {
  if (g.tile_row >= 0) return g.tile_row;
  const std::int64_t spread =
      g.layout == RowLayout::masked ? g.max_rows : ceil_div(g.total_rows, g.weights.experts);
  const std::int64_t rows =
      std::max<std::int64_t>(1, g.expected_rows > 0 ? g.expected_rows : spread);
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < sm90_w4a16::kRows.size(); ++i) {
    const double cycles = estimate(sm90_w4a16::kRows[i], g, rows, sms);
    if (cycles < least) {
      least = cycles;
      best = static_cast<int>(i);
    }
  }
  return best;
}

}  // namespace tilefit::moe
