// SPDX-License-Identifier: Apache-2.0
// For which chip a cubin was compiled, as far as the cubin itself tells.
#pragma once

#include <string>

#include "tilefit/model/facts.h"
#include "tilefit/read/elf.h"

namespace tilefit {

/// e_flags hold the SM in two layouts; CUDA 13 keeps the suffix out of them, so it is looked for in
/// the compiler's own note and in the compatibility attributes. A fatbin's entry header is a better
/// source where there is one.
CodeTarget target_of(const Elf& cubin);

/// "V13.0.88"; empty where not stated.
std::string tool_version(const Elf& cubin);

}  // namespace tilefit
