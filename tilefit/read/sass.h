// SPDX-License-Identifier: Apache-2.0
// The little that tilefit reads of machine code: whether a body does anything at all, and the
// constant that a trtllm-gen cubin carries its shared memory size in.
//
// From sm_70 on an instruction is 16 bytes: opcode in bits 0-11 (operation in 0-8, form of operands
// in 9-11), registers in 16-23 (result), 24-31, 32-39, a 32-bit constant in 32-63.
#pragma once

#include <optional>

#include "tilefit/read/bytes.h"

namespace tilefit {

/// Larger bodies are taken to do something without a look.
inline constexpr Bytes kMaxIdleBody = 4096;

/// Whether the code computes, branches, prints and traps at most: it stores nothing that anyone
/// could read. An operation that is not known to be harmless counts as doing something.
bool does_nothing(ByteView code, int sm);

/// Whether it calls functions whose address it loads.
bool calls_by_address(ByteView code);

/// Whether a trap stands in the code: a stub that says so when it is launched.
bool has_trap(ByteView code, int sm);

/// The constant that a kernel stores, if it stores one constant once and does nothing else.
std::optional<Bytes> stored_constant(ByteView code);

}  // namespace tilefit
