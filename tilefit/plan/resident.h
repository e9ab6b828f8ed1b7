// SPDX-License-Identifier: Apache-2.0
// What a launch takes from a multiprocessor: whether one block fits, and how many do.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tilefit/model/arch.h"
#include "tilefit/model/smem_plan.h"

namespace tilefit {

/// Of one block. registers are per thread.
struct LaunchNeeds {
  Bytes smem = 0;  // static + dynamic
  int registers = 0;
  int threads = 0;
};

inline constexpr int kWarp = 32;

/// Registers that one block is given, after rounding for its warps.
constexpr std::int64_t block_registers(const LaunchNeeds& needs, const Arch& arch) {
  const Bytes per_warp = round_up(Bytes{needs.registers} * kWarp, arch.register_granularity);
  return per_warp * round_up((needs.threads + kWarp - 1) / kWarp, arch.sub_partitions);
}

/// Blocks that are resident at a time; 0 if not even one fits. As the toolkit's occupancy header
/// counts: each quarter of the register file serves whole warps.
constexpr int resident_blocks(const LaunchNeeds& needs, const Arch& arch) {
  if (needs.threads <= 0 || needs.threads > arch.threads_per_block) return 0;
  if (needs.smem > arch.smem_per_block) return 0;
  const Bytes warps = round_up((needs.threads + kWarp - 1) / kWarp, arch.sub_partitions);
  Bytes blocks = std::min<Bytes>(arch.blocks_per_sm, arch.threads_per_sm / kWarp / warps);
  if (needs.registers > 0) {
    if (block_registers(needs, arch) > arch.registers_per_block) return 0;
    const Bytes per_warp = round_up(Bytes{needs.registers} * kWarp, arch.register_granularity);
    const Bytes fit = arch.registers_per_sm / arch.sub_partitions / per_warp * arch.sub_partitions;
    blocks = std::min(blocks, fit / warps);
  }
  if (const Bytes smem = needs.smem + arch.smem_reserved; smem > 0)
    blocks = std::min(blocks, arch.smem_per_sm / round_up(smem, arch.smem_granularity));
  return static_cast<int>(blocks);
}

}  // namespace tilefit
