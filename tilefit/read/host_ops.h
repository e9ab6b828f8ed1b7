// SPDX-License-Identifier: Apache-2.0
// HostOp: what an instruction of host code does to values that can be followed: constants,
// addresses in this file, places in the stack frame. Both processors are decoded into it, so that
// one tracker serves them. What an op does not describe, it destroys.
#pragma once

#include <capstone/capstone.h>

#include <cstdint>
#include <vector>

namespace tilefit {

/// Registers by number: 0..30 general, 31 the stack pointer, then two halves for each of 16 vector
/// registers.
using Register = std::uint8_t;
inline constexpr Register kStackPointer = 31, kFirstVector = 32, kRegisterCount = 64,
                          kNoRegister = 255;
inline constexpr int kVectorRegisters = 16;

/// x86-64 has no such register: holds what moves from memory to memory.
inline constexpr Register kScratchX86 = 30;

constexpr Register vector_half(int vector, int half) {
  return static_cast<Register>(kFirstVector + 2 * vector + half);
}

enum class HostAction : std::uint8_t {
  set,            // dst = value
  add,            // dst = src + value
  insert,         // dst = src with the 16 bits at bit `extra` replaced by `value`
  sign_extend,    // dst = the low `bytes` of src, sign-extended
  load,           // dst = `bytes` at [base + value]
  store,          // `bytes` at [base + value] = src
  store_value,    // `bytes` at [base + value] = extra
  smear,          // anything may be written at [base + value] and above
  destroy,        // dst becomes unknown
  realign,        // the stack pointer was rounded down
  call,           // value = target; 0 = computed, or through the slot at `extra`
  jump,           // value = target
  branch,         // value = target, or falls through; `extra` may say when src is zero
  jump_computed,  // or through the slot at `extra`, or by the table there
  leave,          // returns or stops
};

/// On which way of a branch its `src` is known to be zero.
inline constexpr std::int64_t kZeroWhenNot = 1, kZeroWhenTaken = 2;

struct HostOp {
  HostAction action = HostAction::destroy;
  Register dst = kNoRegister, src = kNoRegister;
  Register base = kNoRegister;  // of memory: kNoRegister = `value` is the address
  std::uint8_t bytes = 8;       // of memory or of a result: 4 clears the upper half
  bool starts = false;          // first op of its instruction
  bool unknown_base = false;    // memory at an address that cannot be followed
  bool through_slot = false;    // the target stands in memory at `extra`
  std::uint8_t length = 0;      // of the instruction
  std::uint64_t address = 0;    // of the instruction
  std::int64_t value = 0, extra = 0;
};

/// Appends the ops of one instruction after the other.
void translate_x86(const cs_insn& insn, std::vector<HostOp>& out);
void translate_arm(const cs_insn& insn, std::vector<HostOp>& out);

}  // namespace tilefit
