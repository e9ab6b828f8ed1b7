// SPDX-License-Identifier: Apache-2.0
// Source: where a number about hardware was read. Every row of kArchs and kGpus names its sources.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

enum class Source : std::uint8_t {
  none,
  cuda_guide, occupancy_h, cccl_traits, ptxas, measured_h200,
};

struct SourceRow {
  Source id;
  std::string_view title;
  std::string_view where;
};

/// One row per Source, in the order of the enum.
inline constexpr std::array kSources{
    SourceRow{Source::none, "", ""},
    SourceRow{Source::cuda_guide, "CUDA C++ Programming Guide 13.0, technical specifications per compute capability",
              "https://docs.nvidia.com/cuda/archive/13.0.0/cuda-c-programming-guide/"},
    SourceRow{Source::occupancy_h, "CUDA Toolkit 13.0, occupancy calculator header", "include/cuda_occupancy.h"},
    SourceRow{Source::cccl_traits, "CUDA Core Compute Libraries, architecture traits",
              "https://github.com/NVIDIA/cccl libcudacxx/include/cuda/__device/arch_traits.h"},
    SourceRow{Source::ptxas, "ptxas 13.0.88, the largest shared array that it accepts",
              "nvcc -arch=sm_XXa, error \"uses too much shared data\""},
    SourceRow{Source::measured_h200, "measured on an H200, driver 580.159.04, CUDA 13.0",
              "launches and occupancy at every dynamic size"},
};

constexpr const SourceRow& row(Source s) { return kSources[static_cast<std::size_t>(s)]; }

/// Up to three sources that agree; unused places are `none`.
using Sources = std::array<Source, 3>;

namespace source_check {
consteval bool in_order() {
  for (std::size_t i = 0; i < kSources.size(); ++i)
    if (static_cast<std::size_t>(kSources[i].id) != i) return false;
  return true;
}
static_assert(in_order(), "kSources follows the enum Source");
}  // namespace source_check

}  // namespace tilefit
