// SPDX-License-Identifier: Apache-2.0
// Opcodes behind 0F: branches, conditional moves, SSE.
#include "tilefit/read/host_quick_reader.h"

// Instruction tables, one case a line.
// clang-format off

namespace tilefit::quick {

bool Quick::two_byte(int opcode) {
  if (segment_) return false;
  if ((opcode & 0xf0) == 0x80 && !operand_16_ && repeat_ == 0) {
    put({.action = HostAction::branch, .value = value(4)});
    return has_target_ = true;
  }
  if ((opcode & 0xf0) == 0x40) return modrm(), destroy(reg()), true;       // cmov
  if ((opcode & 0xf0) == 0x90) return modrm(), lose_rm(1), true;           // setcc
  if ((opcode & 0xf8) == 0xc8) return destroy(general((opcode & 7) | (rex_bits_ & 1) << 3)), true;
  switch (opcode) {
    case 0x0b: put({.action = HostAction::leave}); return true;
    case 0x1e: modrm(); return repeat_ == 0xf3 && is_register();           // endbr64
    case 0x18:
    case 0x1f: modrm(); return true;
    case 0xa3: modrm(); return true;                                       // bt
    case 0xaf:
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf:
    case 0xbc:
    case 0xbd: modrm(), destroy(reg()); return true;
    case 0xb8: modrm(), destroy(reg()); return repeat_ == 0xf3;            // popcnt
    case 0xba:                                                             // bt.. with a value
      modrm();
      byte();
      if ((reg_ & 7) != 4) lose_rm(size());
      return (reg_ & 7) >= 4;
    default: return vectors(opcode);
  }
}

// Arithmetic and shuffles of SSE destroy the register that they write.
bool Quick::vectors(int opcode) {
  if (vector_move(opcode) || vector_half_move(opcode)) return true;
  const bool packed = operand_16_ && repeat_ == 0;
  const bool floating = (opcode >= 0x51 && opcode <= 0x5f) || opcode == 0x14 || opcode == 0x15;
  const bool integer = packed && ((opcode >= 0x60 && opcode <= 0x6b) || opcode == 0x6d || (opcode >= 0x74 && opcode <= 0x76) ||
                                  opcode == 0xd4 || opcode == 0xdb || opcode == 0xdf || opcode == 0xeb || opcode == 0xef ||
                                  (opcode >= 0xfa && opcode <= 0xfe));
  if (floating || integer) {
    modrm();
    const bool clears = (opcode == 0x57 && repeat_ == 0) || opcode == 0xef;
    if (clears && is_register() && reg_ == rm_) {
      set(vector_half(reg_, 0), 0, 8);
      set(vector_half(reg_, 1), 0, 8);
    } else {
      destroy_vector(reg_);
    }
    return true;
  }
  switch (opcode) {
    case 0x2a: modrm(), destroy_vector(reg_); return repeat_ != 0;          // to float
    case 0x2c:
    case 0x2d: modrm(), destroy(reg()); return repeat_ != 0;                // from float
    case 0x2e:
    case 0x2f: modrm(); return repeat_ == 0;                                // compare
    case 0x70: modrm(), byte(), destroy_vector(reg_); return operand_16_ || repeat_ != 0;
    case 0xc6: modrm(), byte(), destroy_vector(reg_); return repeat_ == 0;
    default: return false;
  }
}

// Whole registers: 10/11, 28/29, 6F/7F.
bool Quick::vector_move(int opcode) {
  const bool unaligned = opcode == 0x10 || opcode == 0x11, aligned = opcode == 0x28 || opcode == 0x29;
  const bool integer = (opcode == 0x6f || opcode == 0x7f) && (operand_16_ || repeat_ == 0xf3);
  if (!(unaligned && repeat_ == 0) && !(aligned && repeat_ == 0) && !integer) return false;
  modrm();
  const bool store_form = opcode == 0x11 || opcode == 0x29 || opcode == 0x7f;
  for (const int half : {0, 1}) {
    if (is_register()) {
      copy(vector_half(store_form ? rm_ : reg_, half), vector_half(store_form ? reg_ : rm_, half), 8);
    } else if (store_form) {
      store(vector_half(reg_, half), 8, 8 * half);
    } else {
      load(vector_half(reg_, half), 8, 8 * half);
    }
  }
  return true;
}

// Parts of registers: movss, movsd, movd, movq, movhps, movlps, punpcklqdq.
bool Quick::vector_half_move(int opcode) {
  const bool scalar = repeat_ != 0 && (opcode == 0x10 || opcode == 0x11);
  if (scalar) {
    modrm();
    if (opcode == 0x10 || is_register()) destroy_vector(opcode == 0x10 ? reg_ : rm_);
    else store(repeat_ == 0xf2 ? vector_half(reg_, 0) : kNoRegister, repeat_ == 0xf2 ? 8 : 4);
    return true;
  }
  if (opcode == 0x6e && operand_16_) {  // movd, movq from general
    modrm();
    if (is_register()) copy(vector_half(reg_, 0), rm(), rex_w_ ? 8 : 4);
    else load(vector_half(reg_, 0), rex_w_ ? 8 : 4);
    set(vector_half(reg_, 1), 0, 8);
    return true;
  }
  if (opcode == 0x7e && repeat_ == 0xf3) {  // movq
    modrm();
    if (is_register()) copy(vector_half(reg_, 0), vector_half(rm_, 0), 8);
    else load(vector_half(reg_, 0), 8);
    set(vector_half(reg_, 1), 0, 8);
    return true;
  }
  if (opcode == 0x7e && operand_16_) {  // movd, movq to general
    modrm();
    if (is_register()) copy(rm(), vector_half(reg_, 0), rex_w_ ? 8 : 4);
    else store(vector_half(reg_, 0), rex_w_ ? 8 : 4);
    return true;
  }
  if (opcode == 0xd6 && operand_16_) {
    modrm();
    if (is_register()) return false;
    store(vector_half(reg_, 0), 8);
    return true;
  }
  if (opcode == 0x6c && operand_16_) {  // punpcklqdq
    modrm();
    if (is_register()) copy(vector_half(reg_, 1), vector_half(rm_, 0), 8);
    else load(vector_half(reg_, 1), 8);
    return true;
  }
  const bool high = opcode == 0x16 || opcode == 0x17, low = opcode == 0x12 || opcode == 0x13;
  if ((!high && !low) || repeat_ != 0) return false;
  modrm();
  const Register half = vector_half(reg_, high ? 1 : 0);
  if (is_register()) {  // movlhps, movhlps
    if (operand_16_ || (opcode & 1) != 0) return false;
    copy(half, vector_half(rm_, high ? 0 : 1), 8);
  } else if ((opcode & 1) != 0) {
    store(half, 8);
  } else {
    load(half, 8);
  }
  return true;
}

}  // namespace tilefit::quick
// clang-format on
