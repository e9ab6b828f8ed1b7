// SPDX-License-Identifier: Apache-2.0
// Which tile row to launch: the one with the least estimated time. The estimate is a count of
// waves times what one tile costs, from the rates below; measured times are in docs/measurements.md.
#include <algorithm>
#include <limits>

#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

/// Cycles of one SM for one 64 x 64 piece of weights against t tokens (docs/kernels-sm90.md).
constexpr double kReadCycles = 121;   // its 2304 bytes at the memory's rate, shared by all SMs
constexpr double kIssueCycles = 82;   // unpacking
constexpr double kTileCycles = 3000;  // epilogue and refill of a tile

double piece_cycles(double tokens) {
  return std::max(2 * tokens, kIssueCycles + 1.16 * tokens);
}

int width(const sm90_w4a16::Row& row, int tokens) {
  for (const int w : row.token_widths)
    if (w >= tokens) return w;
  return row.tile.n;
}

double estimate(const sm90_w4a16::Row& row, const Gemm& g, std::int64_t rows, int sms) {
  const packed_sm90::Shape shape{g.weights.experts, g.weights.n, g.weights.k};
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t n_tiles = ceil_div(shape.groups() * sm90_w4a16::kGroupRows, row.tile.m);
  const std::int64_t token_tiles = ceil_div(rows, row.tile.n);
  const std::int64_t tokens = ceil_div(rows, token_tiles);
  const std::int64_t tiles = n_tiles * token_tiles * shape.experts;
  const std::int64_t waves = ceil_div(tiles, std::int64_t{sms} * row.launched_per_sm);
  const double pieces = row.tile.m / 64.0 * shape.k_blocks() * 2;
  const double compute = static_cast<double>(waves * row.launched_per_sm) *
                         (pieces * piece_cycles(width(row, static_cast<int>(tokens))) + kTileCycles);
  const double read = static_cast<double>(Bytes{shape.experts} * shape.groups() * shape.k_blocks()) *
                      4 * kReadCycles / sms;
  // Few bytes in flight per SM slow reading down; activations are read again for every n tile.
  const double again = static_cast<double>(tiles) * static_cast<double>(tokens) * g.weights.k * 2 /
                       sms / 40.0;
  return std::max(compute, read) + again;
}

}  // namespace

int choose_row(const Gemm& g, int sms) {
  if (g.tile_row >= 0) return g.tile_row;
  const std::int64_t spread = g.layout == RowLayout::masked
                                  ? g.max_rows
                                  : (g.total_rows + g.weights.experts - 1) / g.weights.experts;
  const std::int64_t rows = std::max<std::int64_t>(1, g.expected_rows > 0 ? g.expected_rows : spread);
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
