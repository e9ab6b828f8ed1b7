// SPDX-License-Identifier: Apache-2.0
// A quick reader of the x86-64 instructions that make up nearly all of compiled host code. capstone
// prints every instruction that it decodes, which costs far more than all else that is done with
// it; so it gets only those that are not known here. A test sets the two side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "tilefit/read/bytes.h"
#include "tilefit/read/host_ops.h"

namespace tilefit {

/// Appends the ops of the instruction at the start of `code`, which lies at `address`. Returns its
/// length; 0 for one that is not known here.
int quick_x86(ByteView code, std::uint64_t address, std::vector<HostOp>& out);

}  // namespace tilefit
