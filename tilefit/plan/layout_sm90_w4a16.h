// SPDX-License-Identifier: Apache-2.0
// Shared memory of our SM90 NVFP4 grouped GEMM: the table of tiles and Tile -> SmemPlan.
//
// Weights are the M side of the MMA (swap_ab), tokens its N side: tile.m weight rows of one expert,
// tile.n tokens at most, tile.k of the reduction a stage. Weights arrive packed (packed_sm90.h):
// blocks of 64 rows x 128 k, codes and block scales together, so a stage of them is a few
// contiguous copies. The kernel takes its offsets from here at compile time and `tilefit plan`
// prints the same value.
#pragma once

#include <array>

#include "tilefit/model/arch.h"
#include "tilefit/model/smem_plan.h"
#include "tilefit/model/tile.h"

namespace tilefit::sm90_w4a16 {

/// One packed block: 64 rows of N x 128 of K, 4-bit codes then one scale byte per 16 of K.
inline constexpr int kBlockRows = 64, kBlockK = 128, kScaleVector = 16;
inline constexpr Bytes kCodeBytes = kBlockRows * kBlockK / 2;
inline constexpr Bytes kScaleBytes = kBlockRows * kBlockK / kScaleVector;
inline constexpr Bytes kBlockBytes = kCodeBytes + kScaleBytes;

/// Two blocks that follow each other along N are stored, copied and padded as one group.
inline constexpr int kGroupRows = 2 * kBlockRows;
inline constexpr Bytes kGroupBytes = 2 * kBlockBytes;

/// Experts that one launch can schedule; each has an entry of four ints in shared memory.
inline constexpr int kMaxExperts = 512;
inline constexpr Bytes kScheduleEntryBytes = 16;

inline constexpr int kMmaWarpgroups = 2;

constexpr Bytes activation_stage_bytes(const Tile& t) {
  return Bytes{t.n} * t.k * bits(row(t.operands).a) / 8;
}
constexpr Bytes weight_stage_bytes(const Tile& t) {
  return Bytes{t.m / kBlockRows} * (t.k / kBlockK) * kBlockBytes;
}

/// The bytes of `t`, region by region. Total is what the launch asks for; static bytes are none.
constexpr SmemPlan layout(const Tile& t) {
  SmemPlan plan;
  plan.add(Part::mainloop_a, t.stages * activation_stage_bytes(t), 1024);  // 128-byte swizzle atoms
  plan.add(Part::mainloop_b, t.stages * weight_stage_bytes(t), 128);
  plan.add(Part::pipeline_mainloop, Bytes{2} * 8 * t.stages, 8);
  plan.add(Part::scheduler_storage, kScheduleEntryBytes * (kMaxExperts + 1), 16);
  plan.finish(16);
  return plan;
}

/// Most stages of `t` within `limit` bytes; 0 when not even one fits.
constexpr int stages_that_fit(Tile t, Bytes limit) {
  t.stages = 1;
  while (layout(t).total <= limit) ++t.stages;
  return t.stages - 1;
}

/// One kernel: a tile, how many blocks of it share an SM, and the register split.
struct Row {
  Tile tile;
  int blocks_per_sm;
  int mma_registers, load_registers;  // setmaxnreg of the two roles
  std::array<int, 8> token_widths;    // MMA widths it holds code for; 0 ends the list
  bool operator==(const Row&) const = default;
};

constexpr Tile moe_tile(int rows, int tokens, int stages, Operands operands) {
  return Tile{.m = rows,
              .n = tokens,
              .k = kBlockK,
              .stages = stages,
              .operands = operands,
              .mainloop = Mainloop::mixed,
              .schedule = Schedule::cooperative,
              .epilogue_schedule = EpilogueSchedule::nosmem,
              .swap_ab = true};
}

// clang-format off
/// Adding a tile = adding a row; fp16 activations get the same rows.
inline constexpr std::array kRows{
    Row{moe_tile(256,  32, 4, Operands::bf16xnvfp4), 2, 104, 32, {8, 16, 24, 32}},
    Row{moe_tile(512,  64, 4, Operands::bf16xnvfp4), 1, 232, 40, {8, 16, 24, 32, 48, 64}},
    Row{moe_tile(256, 128, 4, Operands::bf16xnvfp4), 1, 232, 40, {8, 32, 64, 80, 96, 112, 128}},
    Row{moe_tile(128,  64, 8, Operands::bf16xnvfp4), 1, 232, 40, {8, 16, 32, 64}},
    Row{moe_tile(128, 128, 5, Operands::bf16xnvfp4), 1, 232, 40, {8, 32, 64, 96, 128}},
};
// clang-format on

/// Row `i` for activations of another type; the bytes do not change.
constexpr Row with_operands(Row row, Operands operands) {
  row.tile.operands = operands;
  return row;
}

}  // namespace tilefit::sm90_w4a16
