// SPDX-License-Identifier: Apache-2.0
// Arch: what one compute capability allows a kernel. kArchs has a row for each; every group of
// numbers names its sources, and 0 means unknown. Kernels include this file: constexpr data only.
//
// Where sources differ, and what stands here:
// - Blocks per SM on 12.x: the programming guide 13, cuda_occupancy.h, the CCCL traits and devices
//   say 24; the tuning guide for Blackwell says 32 (and 128 KB of shared memory, which is the
//   unified cache). 24 stands here.
// - Registers per thread: 255 in the guide and in CCCL; cuda_occupancy.h computes with 256.
// - Clusters on sm_120 and sm_121: 8 blocks by the promise that a portable size holds on every
//   later compute capability. CUTLASS builders for these GPUs take 1x1x1 only; that is theirs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tilefit/model/source.h"

namespace tilefit {

/// Limits of one architecture. Bytes of shared memory count static + dynamic. A block can opt in
/// to smem_per_block, inclusive; each resident block takes smem_reserved more from smem_per_sm.
struct Arch {
  int cc = 0;             // 120
  std::string_view name;  // "sm_120"

  std::int64_t smem_per_block = 0;    // opt-in limit of one block
  std::int64_t smem_default = 49152;  // limit of one block that did not opt in
  std::int64_t smem_per_sm = 0;
  std::int64_t smem_reserved = 0;  // the driver's share of each block, outside smem_per_block
  Sources smem_from{};
  std::int64_t smem_granularity = 0;  // a block's bytes are rounded up to this
  Sources granularity_from{};         // holds measured_h200 where the rounding was measured

  int registers_per_sm = 65536;
  int registers_per_block = 65536;
  int registers_per_thread = 255;
  int register_granularity = 256;  // registers of one warp are rounded up to this
  int sub_partitions = 4;          // a block's warps are rounded up to this for its registers
  Sources registers_from{Source::cuda_guide, Source::occupancy_h, Source::cccl_traits};

  int threads_per_block = 1024;
  int threads_per_sm = 0;
  int blocks_per_sm = 0;
  Sources threads_from{};

  int cluster_portable = 0;  // blocks in a cluster that every such GPU runs; 1 = no clusters
  int cluster_max = 0;       // blocks in a cluster when non-portable sizes are allowed
  Sources cluster_from{};

  constexpr bool granularity_measured() const {
    for (Source s : granularity_from)
      if (s == Source::measured_h200) return true;
    return false;
  }
};

/// Sources that several rows share.
namespace arch_from {
inline constexpr Sources guide{Source::cuda_guide, Source::cccl_traits, Source::occupancy_h};
inline constexpr Sources guide_11{Source::cuda_guide_11, Source::occupancy_h};
inline constexpr Sources guide_ptxas{Source::cuda_guide, Source::ptxas, Source::cccl_traits};
inline constexpr Sources traits{Source::cccl_traits, Source::occupancy_h};
inline constexpr Sources renamed{Source::sm101_renamed, Source::cuda_guide, Source::occupancy_h};
inline constexpr Sources measured{Source::measured_h200, Source::cuda_guide, Source::ptxas};
inline constexpr Sources rounding{Source::occupancy_h};
inline constexpr Sources rounding_measured{Source::measured_h200, Source::occupancy_h};
inline constexpr Sources no_clusters{Source::cuda_guide};
inline constexpr Sources portable{Source::driver_types_h, Source::cuda_guide};
inline constexpr Sources hopper{Source::driver_types_h, Source::hopper_tuning};
inline constexpr Sources blackwell{Source::driver_types_h, Source::blackwell_tuning};
}  // namespace arch_from

// clang-format off
/// One row per compute capability, ascending. sm_88 differs from sm_86 in name only (CCCL); sm_101
/// is sm_110 as CUDA 12.8 and 12.9 called it.
inline constexpr std::array kArchs{
    Arch{.cc = 70, .name = "sm_70",
         .smem_per_block = 98304, .smem_per_sm = 98304, .smem_reserved = 0,
         .smem_from = arch_from::guide_11, .smem_granularity = 256,
         .granularity_from = arch_from::rounding, .registers_from = arch_from::guide_11,
         .threads_per_sm = 2048, .blocks_per_sm = 32, .threads_from = arch_from::guide_11,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 72, .name = "sm_72",
         .smem_per_block = 98304, .smem_per_sm = 98304, .smem_reserved = 0,
         .smem_from = arch_from::guide_11, .smem_granularity = 256,
         .granularity_from = arch_from::rounding, .registers_from = arch_from::guide_11,
         .threads_per_sm = 2048, .blocks_per_sm = 32, .threads_from = arch_from::guide_11,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 75, .name = "sm_75",
         .smem_per_block = 65536, .smem_per_sm = 65536, .smem_reserved = 0,
         .smem_from = arch_from::guide, .smem_granularity = 256,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1024, .blocks_per_sm = 16, .threads_from = arch_from::guide,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 80, .name = "sm_80",
         .smem_per_block = 166912, .smem_per_sm = 167936, .smem_reserved = 1024,
         .smem_from = arch_from::guide, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 2048, .blocks_per_sm = 32, .threads_from = arch_from::guide,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 86, .name = "sm_86",
         .smem_per_block = 101376, .smem_per_sm = 102400, .smem_reserved = 1024,
         .smem_from = arch_from::guide, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 16, .threads_from = arch_from::guide,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 87, .name = "sm_87",
         .smem_per_block = 166912, .smem_per_sm = 167936, .smem_reserved = 1024,
         .smem_from = arch_from::guide, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 16, .threads_from = arch_from::guide,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 88, .name = "sm_88",
         .smem_per_block = 101376, .smem_per_sm = 102400, .smem_reserved = 1024,
         .smem_from = arch_from::traits, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 16, .threads_from = arch_from::traits,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 89, .name = "sm_89",
         .smem_per_block = 101376, .smem_per_sm = 102400, .smem_reserved = 1024,
         .smem_from = arch_from::guide, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 24, .threads_from = arch_from::guide,
         .cluster_portable = 1, .cluster_max = 1, .cluster_from = arch_from::no_clusters},
    Arch{.cc = 90, .name = "sm_90",
         .smem_per_block = 232448, .smem_per_sm = 233472, .smem_reserved = 1024,
         .smem_from = arch_from::measured, .smem_granularity = 128,
         .granularity_from = arch_from::rounding_measured,
         .threads_per_sm = 2048, .blocks_per_sm = 32, .threads_from = arch_from::guide,
         .cluster_portable = 8, .cluster_max = 16, .cluster_from = arch_from::hopper},
    Arch{.cc = 100, .name = "sm_100",
         .smem_per_block = 232448, .smem_per_sm = 233472, .smem_reserved = 1024,
         .smem_from = arch_from::guide_ptxas, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 2048, .blocks_per_sm = 32, .threads_from = arch_from::guide,
         .cluster_portable = 8, .cluster_max = 16, .cluster_from = arch_from::blackwell},
    Arch{.cc = 101, .name = "sm_101",
         .smem_per_block = 232448, .smem_per_sm = 233472, .smem_reserved = 1024,
         .smem_from = arch_from::renamed, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 24, .threads_from = arch_from::renamed,
         .cluster_portable = 8, .cluster_max = 0, .cluster_from = arch_from::portable},
    Arch{.cc = 103, .name = "sm_103",
         .smem_per_block = 232448, .smem_per_sm = 233472, .smem_reserved = 1024,
         .smem_from = arch_from::guide_ptxas, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 2048, .blocks_per_sm = 32, .threads_from = arch_from::guide,
         .cluster_portable = 8, .cluster_max = 0, .cluster_from = arch_from::portable},
    Arch{.cc = 110, .name = "sm_110",
         .smem_per_block = 232448, .smem_per_sm = 233472, .smem_reserved = 1024,
         .smem_from = arch_from::guide_ptxas, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 24, .threads_from = arch_from::guide,
         .cluster_portable = 8, .cluster_max = 0, .cluster_from = arch_from::portable},
    Arch{.cc = 120, .name = "sm_120",
         .smem_per_block = 101376, .smem_per_sm = 102400, .smem_reserved = 1024,
         .smem_from = arch_from::guide_ptxas, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 24, .threads_from = arch_from::guide,
         .cluster_portable = 8, .cluster_max = 0, .cluster_from = arch_from::portable},
    Arch{.cc = 121, .name = "sm_121",
         .smem_per_block = 101376, .smem_per_sm = 102400, .smem_reserved = 1024,
         .smem_from = arch_from::guide_ptxas, .smem_granularity = 128,
         .granularity_from = arch_from::rounding,
         .threads_per_sm = 1536, .blocks_per_sm = 24, .threads_from = arch_from::guide,
         .cluster_portable = 8, .cluster_max = 0, .cluster_from = arch_from::portable},
};
// clang-format on

constexpr const Arch* find_arch(int cc) {
  for (const Arch& a : kArchs)
    if (a.cc == cc) return &a;
  return nullptr;
}

consteval const Arch& arch(int cc) {
  const Arch* found = find_arch(cc);
  if (found == nullptr) throw "no such architecture: add a row to kArchs";
  return *found;
}

namespace arch_check {
consteval bool blocks_fit_their_sm() {
  for (const Arch& a : kArchs)
    if (a.smem_per_block + a.smem_reserved > a.smem_per_sm) return false;
  return true;
}
static_assert(blocks_fit_their_sm(), "one block with the driver's share fits an SM");
}  // namespace arch_check

}  // namespace tilefit
