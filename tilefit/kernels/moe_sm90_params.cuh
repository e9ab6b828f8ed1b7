// SPDX-License-Identifier: Apache-2.0
// What the host hands to the SM90 kernel, and what one instance of it is. Needs CUDA's driver
// types.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "tilefit/model/arch.h"
#include "tilefit/plan/layout_sm90_w4a16.h"

namespace tilefit::moe_sm90 {

/// One kernel instance is one type that carries its row of the table and its plan.
template <std::size_t kRowIndex, bool kFp16Activations>
struct Instance {
  static constexpr std::size_t row_index = kRowIndex;
  static constexpr bool fp16 = kFp16Activations;
  static constexpr sm90_w4a16::Row row = sm90_w4a16::with_operands(
      sm90_w4a16::kRows[kRowIndex], kFp16Activations ? Operands::fp16xnvfp4 : Operands::bf16xnvfp4);
  static constexpr Tile tile = row.tile;
  static constexpr SmemPlan plan = sm90_w4a16::layout(tile);
  static_assert(row.blocks_per_sm * (plan.total + arch(90).smem_reserved) <= arch(90).smem_per_sm &&
                    plan.total <= arch(90).smem_per_block,
                "tile does not fit; see: tilefit plan");
  static constexpr int groups = tile.m / sm90_w4a16::kGroupRows;  // of 128 weight rows
  static constexpr int blocks = tile.m / sm90_w4a16::kBlockRows / sm90_w4a16::kMmaWarpgroups;
  static_assert(blocks * sm90_w4a16::kMmaWarpgroups * sm90_w4a16::kBlockRows == tile.m);
  static constexpr int mma_threads = sm90_w4a16::kMmaWarpgroups * 128;
  static constexpr int threads = mma_threads + 128;
  static constexpr std::size_t widths = [] {
    std::size_t count = 0;
    while (count < row.token_widths.size() && row.token_widths[count] != 0) ++count;
    return count;
  }();
  static_assert(row.token_widths[widths - 1] == tile.n, "the widest MMA takes a whole tile");
  template <std::size_t kIndex>
  static constexpr int width = row.token_widths[kIndex];
  template <Part P>
  static constexpr std::uint32_t offset = static_cast<std::uint32_t>(plan.offset(P));
  static constexpr auto a_stage =
      static_cast<std::uint32_t>(sm90_w4a16::activation_stage_bytes(tile));
  static constexpr auto b_stage = static_cast<std::uint32_t>(sm90_w4a16::weight_stage_bytes(tile));
};

enum class Store : int { bf16, fp16, f32 };
enum class BiasType : int { none, bf16, fp16, f32 };

struct Params {
  CUtensorMap activations[8];  // one per width in the row's token_widths
  const std::byte* weights;
  const float* global_scales;  // [experts][2]
  const std::int32_t* rows;    // offsets [experts + 1], or counts [experts] when max_rows >= 0
  std::int32_t max_rows, total_rows;
  std::int32_t experts, n, split;
  std::int32_t weight_groups, k_blocks, n_tiles;
  void* out;
  std::int64_t out_stride;
  const void* bias;
  const std::int32_t* row_token;
  const float* row_weight;
  std::int32_t tokens;
  Store store;
  BiasType bias_type;
  bool add;  // rows, times row_weight, are added into the rows that row_token names
};

/// A row of the table as something to launch.
struct Kernel {
  void (*function)(Params);
  Tile tile;
  int threads, blocks_per_sm;
  Bytes smem_bytes;
  std::array<int, 8> token_widths;
};

/// Kernels for bf16 and fp16 activations, in the order of sm90_w4a16::kRows.
std::array<Kernel, sm90_w4a16::kRows.size()> bf16_kernels();
std::array<Kernel, sm90_w4a16::kRows.size()> fp16_kernels();

}  // namespace tilefit::moe_sm90
