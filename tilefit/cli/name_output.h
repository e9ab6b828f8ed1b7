// SPDX-License-Identifier: Apache-2.0
// What a kernel's name says, as JSON and as text.
#pragma once

#include <string>
#include <string_view>

#include "tilefit/read/kernel_name.h"

namespace tilefit {

/// One object, without a line end. `symbol` as it was given.
std::string name_json(std::string_view symbol, const KernelName& name);

/// The short name, and indented below it what is known.
std::string name_text(std::string_view symbol, const KernelName& name);

}  // namespace tilefit
