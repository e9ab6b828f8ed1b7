// SPDX-License-Identifier: Apache-2.0
// Reads names that were demangled already, as c++filt, cu++filt, LLVM and the profilers built on
// them print them, into the tree that parse_mangled() builds. What a demangler may print without
// being C++ (lambdas, anonymous namespaces, casts of literals) is taken; expressions are kept as
// opaque text.
#pragma once

#include <string_view>

#include "tilefit/model/result.h"
#include "tilefit/read/type_tree.h"

namespace tilefit {

/// The tree points into `name`.
Result<TypeTree> parse_demangled(std::string_view name);

}  // namespace tilefit
