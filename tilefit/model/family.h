// SPDX-License-Identifier: Apache-2.0
// Family: whose kernel a tile is meant for. Builder: whose stage arithmetic picks its stages; that
// changed between CUTLASS releases.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

enum class Family : std::uint8_t { cutlass_moe, cutlass, tilefit, triton, deepgemm };

struct FamilyRow {
  Family family;
  std::string_view name, title;
  std::string_view release = "";  // what was modelled, where that is not the builder
};

inline constexpr std::array kFamilies{
    FamilyRow{Family::cutlass_moe, "cutlass-moe",
              "grouped GEMMs of the FlashInfer / TensorRT-LLM MoE launcher"},
    FamilyRow{Family::cutlass, "cutlass", "plain CUTLASS collective builders"},
    FamilyRow{Family::tilefit, "tilefit", "kernels of this library"},
    FamilyRow{Family::triton, "triton", "Triton's fused MoE kernel", "triton-3.6"},
    FamilyRow{Family::deepgemm, "deepgemm", "DeepGEMM's GEMM kernels", "deepgemm-54e2261"},
};

constexpr std::string_view name(Family f) { return kFamilies[static_cast<std::size_t>(f)].name; }

enum class Builder : std::uint8_t { cutlass_4_2, cutlass_4_5 };

/// Oldest first; the newest is the default. The sm_120 arithmetic of 4.5.0 stands since 4.3 (the
/// builder's text in 4.4.2, bundled with flashinfer-python 0.6.8, is the same).
inline constexpr std::array<std::string_view, 2> kBuilderNames{"cutlass-4.2", "cutlass-4.5"};
inline constexpr Builder kNewestBuilder = Builder::cutlass_4_5;

constexpr std::string_view name(Builder b) { return kBuilderNames[static_cast<std::size_t>(b)]; }

constexpr bool is_cutlass(Family f) { return f == Family::cutlass_moe || f == Family::cutlass; }

/// The release whose arithmetic a plan of `f` uses: the builder, where the family has builders.
constexpr std::string_view release(Family f, Builder b) {
  const std::string_view own = kFamilies[static_cast<std::size_t>(f)].release;
  return own.empty() ? name(b) : own;
}

}  // namespace tilefit
