// SPDX-License-Identifier: Apache-2.0
// Prefixes, operands and one-byte opcodes.
#include "tilefit/read/host_quick_x86.h"

#include "tilefit/read/host_quick_reader.h"

// Instruction tables, one case a line.
// clang-format off
namespace tilefit {
namespace quick {
namespace {

constexpr Register kRax = 0, kRdx = 2, kRbp = 5;

}  // namespace

bool Quick::prefixes() {
  for (;;) {
    opcode_ = byte();
    switch (opcode_) {
      case 0x66: operand_16_ = true; continue;
      case 0xf2:
      case 0xf3: repeat_ = opcode_; continue;
      case 0x64: segment_ = true; continue;
      case 0x2e: continue;  // no effect; pads instructions
      default: break;
    }
    break;
  }
  if ((opcode_ & 0xf0) == 0x40) {
    rex_ = true;
    rex_bits_ = opcode_ & 7;
    rex_w_ = (opcode_ & 8) != 0;
    opcode_ = byte();
  }
  return !over_;
}

void Quick::modrm() {
  const int m = byte();
  mod_ = m >> 6;
  reg_ = (m >> 3 & 7) | (rex_bits_ & 4) << 1;
  rm_ = (m & 7) | (rex_bits_ & 1) << 3;
  if (mod_ == 3) return;
  unknown_base_ = segment_;
  if ((m & 7) == 4) {
    const int sib = byte();
    const int index = (sib >> 3 & 7) | (rex_bits_ & 2) << 2;
    const int base = (sib & 7) | (rex_bits_ & 1) << 3;
    if (index != 4) unknown_base_ = true;
    if ((sib & 7) == 5 && mod_ == 0) displacement_ = number<std::int32_t>();
    else base_ = general(base);
  } else if ((m & 7) == 5 && mod_ == 0) {
    rip_relative_ = true;
    displacement_ = number<std::int32_t>();
  } else {
    base_ = general(rm_);
  }
  if (mod_ == 1) displacement_ = number<std::int8_t>();
  if (mod_ == 2) displacement_ = number<std::int32_t>();
}

// Distances count from the end of the instruction, which is known only now.
void Quick::finish() {
  if (out_.size() == first_) destroy(kNoRegister);  // a place that a jump may aim at
  const auto end = static_cast<std::int64_t>(address_) + at_;
  for (std::size_t i = first_; i < out_.size(); ++i) {
    HostOp& op = out_[i];
    op.address = address_;
    op.length = static_cast<std::uint8_t>(at_);
    op.starts = i == first_;
    const bool in_memory = op.action == HostAction::load || op.action == HostAction::store ||
                           op.action == HostAction::store_value;
    if (relative_to_end_ && in_memory && op.base == kNoRegister) op.value += end;
    if (has_target_ && i == first_) op.value += end;
    if (op.through_slot) op.extra += end;
  }
}

bool Quick::one_byte() {
  if (repeat_ != 0 && opcode_ != 0x90 && opcode_ != 0xc3) return false;
  if (segment_ && opcode_ != 0x8b && opcode_ != 0x2b && opcode_ != 0x33 && opcode_ != 0x3b) return false;
  return arithmetic() || group_with_value() || moves() || stack() || control() || groups();
}

// add, or, adc, sbb, and, sub, xor, cmp in six forms each; test.
bool Quick::arithmetic() {
  if (opcode_ == 0x84 || opcode_ == 0x85) return modrm(), true;
  if (opcode_ == 0xa8) return byte(), true;
  if (opcode_ == 0xa9) return value(operand_16_ ? 2 : 4), true;
  if (opcode_ >= 0x40 || (opcode_ & 7) > 5) return false;
  const int what = opcode_ >> 3, form = opcode_ & 7;
  const bool compare = what == 7, clears = what == 6 || what == 5;
  if (form >= 4) {
    value(form == 4 ? 1 : operand_16_ ? 2 : 4);
    if (!compare) destroy(kRax);
    return true;
  }
  modrm();
  if (compare) return true;
  if ((form == 1 || form == 3) && clears && is_register() && reg_ == rm_ && size() >= 4) {
    set(reg(), 0, size());
  } else if (form < 2) {
    lose_rm(form == 0 ? 1 : size());
  } else {
    destroy(form == 2 ? byte_register(reg_) : reg());
  }
  return true;
}

// The same eight with a value: 80, 81, 83.
bool Quick::group_with_value() {
  if (opcode_ != 0x80 && opcode_ != 0x81 && opcode_ != 0x83) return false;
  modrm();
  const std::int64_t v = value(opcode_ == 0x81 ? (operand_16_ ? 2 : 4) : 1);
  const int what = reg_ & 7;
  if (what == 7) return true;
  if (opcode_ == 0x80 || !is_register() || size() < 4) {
    lose_rm(opcode_ == 0x80 ? 1 : size());
  } else if (what == 0 || what == 5) {
    copy(rm(), rm(), size(), what == 0 ? v : -v);
  } else if (what == 4 && rm() == kStackPointer) {
    put({.action = HostAction::realign, .dst = kStackPointer});
  } else if (what == 1 && v == -1) {
    set(rm(), -1, size());
  } else {
    destroy(rm());
  }
  return true;
}

bool Quick::moves() {
  if ((opcode_ & 0xf8) == 0xb0) {
    const int r = (opcode_ & 7) | (rex_bits_ & 1) << 3;
    byte();
    destroy(byte_register(r));
    return true;
  }
  if ((opcode_ & 0xf8) == 0xb8) {
    const Register r = general((opcode_ & 7) | (rex_bits_ & 1) << 3);
    const std::int64_t v = rex_w_ ? number<std::int64_t>() : value(operand_16_ ? 2 : 4);
    if (size() >= 4) set(r, v, size());
    else destroy(r);
    return true;
  }
  switch (opcode_) {
    case 0x63:  // movsxd
      modrm();
      if (is_register() && rex_w_) put({.action = HostAction::sign_extend, .dst = reg(), .src = rm(), .bytes = 4});
      else destroy(reg());
      return true;
    case 0x69: modrm(), value(operand_16_ ? 2 : 4), destroy(reg()); return true;  // imul
    case 0x6b: modrm(), value(1), destroy(reg()); return true;
    case 0x88: modrm(), lose_rm(1); return true;
    case 0x8a: modrm(), destroy(byte_register(reg_)); return true;
    case 0x89:
      modrm();
      if (size() < 4) lose_rm(size());
      else if (is_register()) copy(rm(), reg(), size());
      else store(reg(), size());
      return true;
    case 0x8b:
      modrm();
      if (size() < 4) destroy(reg());
      else if (is_register()) copy(reg(), rm(), size());
      else load(reg(), size());
      return true;
    case 0x8d:  // lea
      modrm();
      if (is_register()) return false;
      if (unknown_base_ || size() < 4 || (base_ == kNoRegister && !rip_relative_)) destroy(reg());
      else if (rip_relative_) {
        set(reg(), displacement_, size());
        has_target_ = true;
      } else copy(reg(), base_, size(), displacement_);
      return true;
    case 0xc6: modrm(), byte(), lose_rm(1); return (reg_ & 7) == 0;
    case 0xc7: {
      modrm();
      const std::int64_t v = value(operand_16_ ? 2 : 4);
      if ((reg_ & 7) != 0) return false;
      if (size() < 4) lose_rm(size());
      else if (is_register()) set(rm(), v, size());
      else memory({.action = HostAction::store_value, .extra = v}, size());
      return true;
    }
    default: return false;
  }
}

bool Quick::stack() {
  const Register r = general((opcode_ & 7) | (rex_bits_ & 1) << 3);
  if (operand_16_) return false;
  if ((opcode_ & 0xf8) == 0x50 || opcode_ == 0x68 || opcode_ == 0x6a) {
    copy(kStackPointer, kStackPointer, 8, -8);
    if ((opcode_ & 0xf8) == 0x50) {
      put({.action = HostAction::store, .src = r, .base = kStackPointer});
    } else {
      const std::int64_t v = value(opcode_ == 0x6a ? 1 : 4);
      put({.action = HostAction::store_value, .base = kStackPointer, .extra = v});
    }
    return r != kStackPointer || (opcode_ & 0xf8) != 0x50;
  }
  if ((opcode_ & 0xf8) == 0x58) {
    put({.action = HostAction::load, .dst = r, .base = kStackPointer});
    copy(kStackPointer, kStackPointer, 8, 8);
    return r != kStackPointer;
  }
  if (opcode_ != 0xc9) return false;
  copy(kStackPointer, kRbp, 8);
  put({.action = HostAction::load, .dst = kRbp, .base = kStackPointer});
  copy(kStackPointer, kStackPointer, 8, 8);
  return true;
}

bool Quick::control() {
  HostAction action = HostAction::branch;
  if ((opcode_ & 0xf0) == 0x70) {
    put({.action = action, .value = value(1)});
    return has_target_ = true;
  }
  switch (opcode_) {
    case 0xe8: action = HostAction::call; break;
    case 0xe9:
    case 0xeb: action = HostAction::jump; break;
    case 0xc2: value(2); [[fallthrough]];
    case 0xc3:
    case 0xcc: put({.action = HostAction::leave}); return true;
    case 0x90: return true;
    case 0x98: destroy(kRax); return true;
    case 0x99: destroy(kRdx); return true;
    default: return false;
  }
  if (operand_16_ && opcode_ != 0xe8) return false;
  put({.action = action, .value = value(opcode_ == 0xeb ? 1 : 4)});
  return has_target_ = true;
}

// Shifts; test, not, neg, mul, div; inc, dec, call, jmp, push.
bool Quick::groups() {
  if (opcode_ == 0xc0 || opcode_ == 0xc1 || (opcode_ >= 0xd0 && opcode_ <= 0xd3)) {
    modrm();
    if (opcode_ < 0xd0) byte();
    lose_rm((opcode_ & 1) == 0 ? 1 : size());
    return true;
  }
  if (opcode_ == 0xf6 || opcode_ == 0xf7) {
    modrm();
    const int what = reg_ & 7;
    if (what < 2) return value(opcode_ == 0xf6 ? 1 : operand_16_ ? 2 : 4), true;
    if (what < 4) return lose_rm(opcode_ == 0xf6 ? 1 : size()), true;
    destroy(kRax);
    destroy(kRdx);
    return true;
  }
  if (opcode_ != 0xfe && opcode_ != 0xff) return false;
  modrm();
  const int what = reg_ & 7;
  if (what < 2) {
    if (opcode_ == 0xff && is_register() && size() >= 4) copy(rm(), rm(), size(), what == 0 ? 1 : -1);
    else lose_rm(opcode_ == 0xfe ? 1 : size());
    return true;
  }
  if (opcode_ == 0xfe || operand_16_) return false;
  if (what == 2 || what == 4) {
    HostOp op{.action = what == 2 ? HostAction::call : HostAction::jump_computed};
    op.through_slot = !is_register() && rip_relative_;
    const bool table = what == 4 && !is_register() && base_ == kNoRegister;
    if (op.through_slot || table) op.extra = displacement_;
    put(op);
    return true;
  }
  if (what != 6 || is_register()) return false;
  load(kScratchX86, 8);
  copy(kStackPointer, kStackPointer, 8, -8);
  put({.action = HostAction::store, .src = kScratchX86, .base = kStackPointer});
  return true;
}

}  // namespace quick

int quick_x86(ByteView code, std::uint64_t address, std::vector<HostOp>& out) {
  return quick::Quick(code, address, out).read();
}

}  // namespace tilefit
// clang-format on
