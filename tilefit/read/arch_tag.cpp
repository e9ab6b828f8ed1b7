// SPDX-License-Identifier: Apache-2.0
// The words stand in CUTLASS, FlashAttention 3 and their forks; counted over the kernels of the
// wheels in docs/measurements.md.
#include "tilefit/read/arch_tag.h"

#include <algorithm>
#include <array>

namespace tilefit {
namespace {

constexpr std::array<std::string_view, 7> kWords{
    "MainloopSm",     // CUTLASS dispatch policies
    "MainloopFwdSm",  // FlashAttention 3
    "MainloopBwdSm", "FlashAttnFwdSm", "FlashAttnBwdSm",
    "SM100_MMA_",  // tcgen05 atoms
    "Sm100Fmha",   // CUTLASS attention example
};

/// Longest first, so that "1004" (a length that follows in a mangled name) is 100.
constexpr std::array<std::string_view, 11> kTags{"121", "120", "110", "103", "100", "90",
                                                 "89",  "86",  "80",  "75",  "70"};

int number(std::string_view text) {
  int value = 0;
  for (char c : text) value = value * 10 + (c - '0');
  return value;
}

}  // namespace

int arch_tag(std::string_view symbol) {
  for (std::string_view word : kWords) {
    const std::size_t at = symbol.find(word);
    if (at == std::string_view::npos) continue;
    const std::size_t digits = symbol.find_first_of("0123456789", at);
    if (digits == std::string_view::npos) continue;
    for (std::string_view tag : kTags)
      if (symbol.substr(digits).starts_with(tag)) return number(tag);
  }
  return 0;
}

bool tag_runs_on(int tag, int cc) {
  if (tag < 90) return cc >= tag;
  const int kind = tag / 10, major = cc / 10;
  return kind == major || (kind == 10 && major == 11);
}

}  // namespace tilefit
