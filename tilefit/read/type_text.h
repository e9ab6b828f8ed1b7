// SPDX-License-Identifier: Apache-2.0
// A TypeTree as C++ text, spelled as `c++filt` does (so that it can be compared with it).
#pragma once

#include <string>

#include "tilefit/read/type_tree.h"

namespace tilefit {

/// Longer texts are cut off with "...": back-references can make a short symbol's text exponential.
inline constexpr std::size_t kMaxNameText = 1 << 18;

std::string type_text(const TypeTree& tree, NodeId id);

}  // namespace tilefit
