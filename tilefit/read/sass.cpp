// SPDX-License-Identifier: Apache-2.0
// Operation numbers were read off nvdisasm 13.5 for sm_75 to sm_121.
#include "tilefit/read/sass.h"

#include <algorithm>
#include <array>

namespace tilefit {
namespace {

constexpr Bytes kInstruction = 16;
constexpr int kOperationBits = 0x1ff;
constexpr int kFirstWithEffects = 0x100;  // below: arithmetic on registers
constexpr int kTrap = 0x15c, kCallAddress = 0x143;
constexpr int kStoreGlobal = 0x986, kHalfConstant = 0x431, kMoveConstant = 0x802;
constexpr int kZeroRegister = 0xff;

/// Operations from 0x100 on that change nothing outside of the thread. Whom a call reaches is for
/// the caller to find out.
constexpr std::array kHarmless{
    0x118,         // NOP
    0x119,         // S2R
    0x141,         // BSYNC
    kCallAddress,  // CALL.ABS
    0x144,         // CALL.REL
    0x145,         // BSSY
    0x147,         // BRA
    0x148,         // WARPSYNC
    0x14d,         // EXIT
    0x14e,         // LEPC
    0x150,         // RET
    0x155,         // BMOV
    kTrap,         // BPT
    0x182,         // LDC
    0x183,         // LDL
    0x187,         // STL: the thread's own stack
    0x189,         // SHFL
    0x1ac,         // LDCU
    0x1c3,         // S2UR
};

// Before sm_70 an instruction is 8 bytes with the opcode on top, and every fourth word schedules.
constexpr int kFirstWideSm = 70;
constexpr std::array kHarmlessNarrow{0xe30, 0xe24, 0x50b, 0xe3a, 0x4c9};  // EXIT BRA NOP BPT MOV
constexpr int kTrapNarrow = 0xe3a;

template <class Array>
bool contains(const Array& all, int one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

int opcode(ByteView code, Bytes at) { return code.number_or_0<std::uint16_t>(at) & 0xfff; }
int byte(ByteView code, Bytes at) { return code.number_or_0<std::uint8_t>(at); }

/// Whether `test(operation)` holds for any instruction.
template <class Test>
bool any_operation(ByteView code, int sm, Test test) {
  if (sm < kFirstWideSm) {
    for (Bytes at = 0; code.holds(at, 8); at += 8)
      if (at % 32 != 0 && test(static_cast<int>(code.number_or_0<std::uint64_t>(at) >> 52)))
        return true;
    return false;
  }
  for (Bytes at = 0; code.holds(at, kInstruction); at += kInstruction)
    if (test(opcode(code, at) & kOperationBits)) return true;
  return false;
}

/// The constant that the instruction at `at` puts into a register.
std::optional<Bytes> constant_at(ByteView code, Bytes at) {
  const int op = opcode(code, at);
  const bool halves = op == kHalfConstant && byte(code, at + 3) == kZeroRegister &&
                      byte(code, at + 8) == kZeroRegister;  // -RZ, RZ, then two halves
  if (!halves && op != kMoveConstant) return std::nullopt;
  return code.number_or_0<std::uint32_t>(at + 4);
}

}  // namespace

bool does_nothing(ByteView code, int sm) {
  if (code.empty() || code.size() > kMaxIdleBody) return false;
  return !any_operation(code, sm, [&](int op) {
    if (sm < kFirstWideSm) return !contains(kHarmlessNarrow, op);
    return op >= kFirstWithEffects && !contains(kHarmless, op);
  });
}

bool has_trap(ByteView code, int sm) {
  return any_operation(code, sm,
                       [&](int op) { return op == (sm < kFirstWideSm ? kTrapNarrow : kTrap); });
}

bool calls_by_address(ByteView code) {
  return any_operation(code, kFirstWideSm, [](int op) { return op == kCallAddress; });
}

std::optional<Bytes> stored_constant(ByteView code) {
  if (code.size() > kMaxIdleBody) return std::nullopt;
  std::optional<int> stored;  // register
  for (Bytes at = 0; code.holds(at, kInstruction); at += kInstruction) {
    if (opcode(code, at) != kStoreGlobal) continue;
    if (stored) return std::nullopt;
    stored = byte(code, at + 4);
  }
  std::optional<Bytes> value;
  for (Bytes at = 0; stored && code.holds(at, kInstruction); at += kInstruction) {
    const bool computes = (opcode(code, at) & kOperationBits) < kFirstWithEffects;
    if (!computes || byte(code, at + 2) != *stored) continue;
    if (value) return std::nullopt;  // written twice
    value = constant_at(code, at);
    if (!value) return std::nullopt;
  }
  return value;
}

}  // namespace tilefit
