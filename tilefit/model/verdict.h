// SPDX-License-Identifier: Apache-2.0
// The words of a judgement: what becomes of a kernel on a GPU, and how we know.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

enum class Outcome : std::uint8_t {
  fits,                // needs no more than a block may have
  over_limit,          // compiles; its first launch fails: more than the opt-in limit
  too_few_stages,      // the builder's assert: fewer than two stages
  not_built,           // that library has no such kernel
  rejected,            // a builder constraint, named
  unknown,             // not modelled; the reason says what is missing
  no_code,             // the file has no code for this GPU
  stub,                // an empty body stands where the kernel should be
  arch_tag_mismatch,   // a body made for another architecture's instructions
  too_many_registers,  // registers x threads exceed the register file
};

inline constexpr std::array<std::string_view, 10> kOutcomeNames{
    "fits",    "over_limit", "too_few_stages", "not_built",         "rejected",
    "unknown", "no_code",    "stub",           "arch_tag_mismatch", "too_many_registers"};

constexpr std::string_view name(Outcome o) { return kOutcomeNames[static_cast<std::size_t>(o)]; }

/// Whether device code of such a kernel is known to compile.
enum class Builds : std::uint8_t { compiled, type_only, refused };

inline constexpr std::array<std::string_view, 3> kBuildsNames{"compiled", "type_only", "refused"};

constexpr std::string_view name(Builds b) { return kBuildsNames[static_cast<std::size_t>(b)]; }

/// Where a number comes from.
enum class Provenance : std::uint8_t { exact, read, measured, estimated, unknown };

inline constexpr std::array<std::string_view, 5> kProvenanceNames{"exact", "read", "measured",
                                                                  "estimated", "unknown"};

constexpr std::string_view name(Provenance p) {
  return kProvenanceNames[static_cast<std::size_t>(p)];
}

}  // namespace tilefit
