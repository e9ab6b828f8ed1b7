// SPDX-License-Identifier: Apache-2.0
// Tile: what was chosen for a GEMM kernel, by a user, a tuner or a table. The one value every room
// reads.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tilefit/model/dtype.h"

namespace tilefit {

/// The kernel's outer form: grouped (one problem per expert) or one dense problem.
enum class KernelKind : std::uint8_t { grouped, dense };
/// Same-width operands, or a narrow weight widened on the way to the MMA.
enum class Mainloop : std::uint8_t { same, mixed };
enum class Schedule : std::uint8_t { automatic, cooperative, pingpong };
enum class EpilogueSchedule : std::uint8_t { tma, nosmem };
/// What happens to the accumulators. none: write rows. finalize: router weight, scatter-reduce.
/// lincomb: alpha*AB + beta*C. activation: SiLU-and-mul with quantised output.
enum class Epilogue : std::uint8_t { none, finalize, lincomb, activation };
/// Where a mixed-input mainloop applies its weight scales.
enum class ScaleApply : std::uint8_t { post_mma, pre_mma_e8m0 };
enum class ScaleMajor : std::uint8_t { k, mn };
/// Layout of D in global memory; automatic follows swap_ab (column-major when swapped).
enum class DLayout : std::uint8_t { automatic, row, col };

inline constexpr std::array<std::string_view, 2> kKernelKindNames{"grouped", "dense"};
inline constexpr std::array<std::string_view, 2> kMainloopNames{"same", "mixed"};
inline constexpr std::array<std::string_view, 3> kScheduleNames{"auto", "cooperative", "pingpong"};
inline constexpr std::array<std::string_view, 2> kEpilogueScheduleNames{"tma", "nosmem"};
inline constexpr std::array<std::string_view, 4> kEpilogueNames{"none", "finalize", "lincomb",
                                                                "activation"};
inline constexpr std::array<std::string_view, 2> kScaleApplyNames{"post-mma", "pre-mma-e8m0"};
inline constexpr std::array<std::string_view, 2> kScaleMajorNames{"k", "mn"};
inline constexpr std::array<std::string_view, 3> kDLayoutNames{"auto", "row", "col"};

constexpr std::string_view name(KernelKind v) {
  return kKernelKindNames[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(Mainloop v) { return kMainloopNames[static_cast<std::size_t>(v)]; }
constexpr std::string_view name(Schedule v) { return kScheduleNames[static_cast<std::size_t>(v)]; }
constexpr std::string_view name(EpilogueSchedule v) {
  return kEpilogueScheduleNames[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(Epilogue v) { return kEpilogueNames[static_cast<std::size_t>(v)]; }
constexpr std::string_view name(ScaleApply v) {
  return kScaleApplyNames[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(ScaleMajor v) {
  return kScaleMajorNames[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(DLayout v) { return kDLayoutNames[static_cast<std::size_t>(v)]; }

/// Cluster of CTAs. On sm_100 and sm_103 m = 2 means that pairs of SMs share one MMA (2SM).
struct Cluster {
  int m = 1, n = 1, k = 1;
  bool dynamic = false;
  bool operator==(const Cluster&) const = default;
};

/// Rows x columns of the accumulator tile that the epilogue stages at a time; 0x0 lets the builder
/// choose.
struct EpilogueTile {
  int m = 0, n = 0;
  constexpr bool automatic() const { return m == 0; }
  bool operator==(const EpilogueTile&) const = default;
};

/// A weight scale covers this many rows (m) and columns (n) of the tile; fp8 blockwise kernels
/// only.
struct ScaleGranularity {
  int m = 1, n = 128;
  bool operator==(const ScaleGranularity&) const = default;
};

/// M, N, K in elements. Structural, so that a kernel instance can carry one as a template argument;
/// new fields go at the end.
struct Tile {
  int m = 128, n = 128, k = 128;
  int stages = 0;  // 0 = let the builder choose
  Operands operands = Operands::nvfp4;
  KernelKind kernel = KernelKind::grouped;
  Mainloop mainloop = Mainloop::same;
  Schedule schedule = Schedule::automatic;
  EpilogueSchedule epilogue_schedule = EpilogueSchedule::tma;
  Epilogue epilogue = Epilogue::none;
  bool swap_ab = false;
  DLayout d_layout = DLayout::automatic;
  Dtype out = Dtype::bf16;  // element type the user sees; C and D follow it unless given
  Dtype c = Dtype::automatic;
  Dtype d = Dtype::automatic;
  Cluster cluster{};
  EpilogueTile epilogue_tile{};
  ScaleApply scale_apply = ScaleApply::post_mma;
  ScaleGranularity scale_granularity{};
  ScaleMajor scale_major = ScaleMajor::k;
  int problem_k =
      0;          // K of the whole problem, for kernels that keep something for all of it; 0 = open
  int warps = 0;  // of a Triton kernel; 0 = open
  bool operator==(const Tile&) const = default;
};

}  // namespace tilefit
