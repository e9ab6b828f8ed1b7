// SPDX-License-Identifier: Apache-2.0
// NamedGemm: what the full type of a CUTLASS 3.x kernel says of it. A kernel's symbol spells that
// type, so where a builder has to choose (stages, epilogue policy, swizzles), a name has the
// result.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tilefit/model/tile.h"
#include "tilefit/plan/cutlass_storage.h"

namespace tilefit {

/// What a mainloop keeps beside A and B.
enum class NamedForm : std::uint8_t {
  plain,
  block_scaled,  // one scale factor each scale_vector elements of K, fed to the MMA
  blockwise,     // fp32 scales of blocks, applied to accumulators
  mixed,         // a narrow A widened in registers, with scales of its own
};

/// The collective mainloops whose storage is modelled, by the name of their dispatch policy.
struct NamedMainloop {
  std::string_view policy;
  int arch = 0;
  KernelKind kernel = KernelKind::dense;
  NamedForm form = NamedForm::plain;
};

inline constexpr std::array kNamedMainloops{
    NamedMainloop{"MainloopSm90TmaGmmaWarpSpecialized", 90, KernelKind::dense, NamedForm::plain},
    NamedMainloop{"MainloopSm90TmaGmmaWarpSpecializedFP8", 90, KernelKind::dense, NamedForm::plain},
    NamedMainloop{"MainloopSm90TmaGmmaWarpSpecializedBlockwiseFP8", 90, KernelKind::dense,
                  NamedForm::blockwise},
    NamedMainloop{"MainloopSm90TmaGmmaRmemAWarpSpecializedMixedInput", 90, KernelKind::dense,
                  NamedForm::mixed},
    NamedMainloop{"MainloopSm90ArrayTmaGmmaWarpSpecialized", 90, KernelKind::grouped,
                  NamedForm::plain},
    NamedMainloop{"MainloopSm90ArrayTmaGmmaWarpSpecializedFP8", 90, KernelKind::grouped,
                  NamedForm::plain},
    NamedMainloop{"MainloopSm90ArrayTmaGmmaWarpSpecializedBlockwise", 90, KernelKind::grouped,
                  NamedForm::blockwise},
    NamedMainloop{"MainloopSm90ArrayTmaGmmaWarpSpecializedMixedInput", 90, KernelKind::grouped,
                  NamedForm::mixed},
    NamedMainloop{"MainloopSm100TmaUmmaWarpSpecialized", 100, KernelKind::dense, NamedForm::plain},
    NamedMainloop{"MainloopSm100TmaUmmaWarpSpecializedBlockScaled", 100, KernelKind::dense,
                  NamedForm::block_scaled},
    NamedMainloop{"MainloopSm100TmaUmmaWarpSpecializedBlockwiseScaling", 100, KernelKind::dense,
                  NamedForm::blockwise},
    NamedMainloop{"MainloopSm100ArrayTmaUmmaWarpSpecialized", 100, KernelKind::grouped,
                  NamedForm::plain},
    NamedMainloop{"MainloopSm100ArrayTmaUmmaWarpSpecializedBlockScaled", 100, KernelKind::grouped,
                  NamedForm::block_scaled},
    NamedMainloop{"MainloopSm100ArrayTmaUmmaWarpSpecializedBlockwiseScaling", 100,
                  KernelKind::grouped, NamedForm::blockwise},
    NamedMainloop{"MainloopSm120TmaWarpSpecialized", 120, KernelKind::dense, NamedForm::plain},
    NamedMainloop{"MainloopSm120TmaWarpSpecializedBlockScaled", 120, KernelKind::dense,
                  NamedForm::block_scaled},
    NamedMainloop{"MainloopSm120TmaWarpSpecializedBlockwiseScaling", 120, KernelKind::dense,
                  NamedForm::blockwise},
    NamedMainloop{"MainloopSm120ArrayTmaWarpSpecializedBlockScaled", 120, KernelKind::grouped,
                  NamedForm::block_scaled},
    NamedMainloop{"MainloopSm120ArrayTmaWarpSpecializedBlockwiseScaling", 120, KernelKind::grouped,
                  NamedForm::blockwise},
};

/// How warps share the work. single: one math warp group, not persistent.
enum class NamedSchedule : std::uint8_t { single, cooperative, pingpong };
inline constexpr std::array<std::string_view, 3> kNamedScheduleNames{"single", "cooperative",
                                                                     "pingpong"};
constexpr std::string_view name(NamedSchedule s) {
  return kNamedScheduleNames[static_cast<std::size_t>(s)];
}

/// The tile scheduler's tag. automatic (void in the type) is dynamic from sm_100 on.
enum class NamedScheduler : std::uint8_t {
  automatic,
  persistent,
  static_persistent,
  stream_k,
  other
};
inline constexpr std::array<std::string_view, 5> kNamedSchedulerNames{
    "auto", "persistent", "static", "stream-k", "other"};
constexpr std::string_view name(NamedScheduler s) {
  return kNamedSchedulerNames[static_cast<std::size_t>(s)];
}

struct NamedOperand {
  std::string_view element;  // short name, as "e4m3"
  int smem_bits = 0;         // of an element in shared memory
  Bytes swizzle = 128;       // alignment that its smem layout atom asks for
};

struct NamedGemm {
  const NamedMainloop* mainloop = nullptr;
  int m = 0, n = 0, k = 0;   // tile of one MMA: with 2SM instructions m is that of two CTAs
  int cta_m = 0, cta_n = 0;  // what one CTA computes
  int stages = 0;
  int scheduler_stages = 0;    // 0 = not a parameter of this class
  int accumulator_stages = 0;  // 0 = not a parameter of this class
  Cluster cluster{};
  NamedSchedule schedule = NamedSchedule::single;
  NamedScheduler scheduler = NamedScheduler::automatic;
  NamedOperand a{}, b{};
  std::string_view scale;  // short name of the scale factors' type
  int scale_vector = 0;    // block_scaled: elements of K that share one scale factor
  int scale_m = 0, scale_n = 0, scale_k = 0;  // blockwise: elements that one scale covers
  Bytes scale_bytes = 0;                      // mixed: one scale of A; 0 = A has none
  EpilogueSpec epilogue{};

  constexpr bool two_sm() const { return cta_m > 0 && m == 2 * cta_m; }
  constexpr bool grouped() const { return mainloop->kernel == KernelKind::grouped; }
};

}  // namespace tilefit
