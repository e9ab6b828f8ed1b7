// SPDX-License-Identifier: Apache-2.0
// Marks of the ops that blocks of a HostGraph begin with.
#pragma once

#include <cstdint>

namespace tilefit {

inline constexpr std::uint8_t kLeads = 1;   // a block begins
inline constexpr std::uint8_t kOpen = 2;    // control may enter from where we do not see
inline constexpr std::uint8_t kTabled = 4;  // a jump table may name it

}  // namespace tilefit
