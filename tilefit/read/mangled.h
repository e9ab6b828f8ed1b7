// SPDX-License-Identifier: Apache-2.0
// Reads Itanium C++ ABI mangled names (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling)
// into a TypeTree. The demanglers of the C++ runtimes give up on long kernel names of CUTLASS
// (recursion limits); this reader takes any nesting up to TypeTree::kMaxDepth, in memory and time
// linear in the symbol.
#pragma once

#include <string_view>

#include "tilefit/model/result.h"
#include "tilefit/read/type_tree.h"

namespace tilefit {

/// Longer symbols are refused.
inline constexpr std::size_t kMaxSymbolBytes = 1 << 20;

/// Whether `symbol` looks like a mangled name at all (_Z..., with up to three more underscores).
bool is_mangled(std::string_view symbol);

/// The tree points into `symbol`. A suffix of a clone, a part or a version (".isra.0", "$229",
/// "@GLIBC_2.2") is left out.
Result<TypeTree> parse_mangled(std::string_view symbol);

}  // namespace tilefit
