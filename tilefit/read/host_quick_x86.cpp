// SPDX-License-Identifier: Apache-2.0
// Opcode by opcode, after the opcode maps of the Intel SDM, volume 2, appendix A.
#include "tilefit/read/host_quick_x86.h"

namespace tilefit {
namespace {

constexpr Register kRax = 0, kRdx = 2, kRbp = 5;
constexpr int kLongest = 15;

/// Our number of a general register from its encoding (with REX bits).
Register general(int encoded) { return encoded == 4 ? kStackPointer : static_cast<Register>(encoded); }

class Quick {
 public:
  Quick(ByteView code, std::uint64_t address, std::vector<HostOp>& out)
      : code_(code), address_(address), out_(out), first_(out.size()) {}

  int read() {
    if (!prefixes() || !(opcode_ == 0x0f ? two_byte(byte()) : one_byte()) || over_) {
      out_.resize(first_);
      return 0;
    }
    finish();
    return static_cast<int>(at_);
  }

 private:
  bool prefixes();
  bool one_byte();
  bool arithmetic();
  bool group_with_value();
  bool moves();
  bool stack();
  bool control();
  bool groups();
  bool two_byte(int opcode);
  bool vectors(int opcode);
  bool vector_move(int opcode);
  bool vector_half_move(int opcode);
  void finish();

  // The instruction's bytes
  int byte() {
    const auto value = code_.number<std::uint8_t>(at_);
    if (!value || at_ >= kLongest) over_ = true;
    ++at_;
    return value.value_or(0);
  }
  template <class T>
  std::int64_t number() {
    const auto value = code_.number<T>(at_);
    if (!value) over_ = true;
    at_ += static_cast<Bytes>(sizeof(T));
    return static_cast<std::int64_t>(value.value_or(T{}));
  }
  std::int64_t value(int bytes) {  // an immediate, sign-extended
    return bytes == 1 ? number<std::int8_t>() : bytes == 2 ? number<std::int16_t>() : number<std::int32_t>();
  }
  int size() const { return rex_w_ ? 8 : operand_16_ ? 2 : 4; }
  std::uint8_t size8() const { return static_cast<std::uint8_t>(size()); }
  bool no_mandatory() const { return !operand_16_ && repeat_ == 0; }

  // ModRM
  void modrm();
  bool is_register() const { return mod_ == 3; }
  Register reg() const { return general(reg_); }
  Register rm() const { return general(rm_); }
  Register byte_register(int encoded) const {  // spl.. need a REX prefix, ah.. lie in the first four
    return general(!rex_ && encoded >= 4 && encoded < 8 ? encoded - 4 : encoded);
  }

  // Ops
  void put(const HostOp& op) { out_.push_back(op); }
  void destroy(Register r) { put({.action = HostAction::destroy, .dst = r}); }
  void destroy_vector(int v) {
    destroy(vector_half(v, 0));
    destroy(vector_half(v, 1));
  }
  void set(Register r, std::int64_t v, int bytes) {
    put({.action = HostAction::set, .dst = r, .bytes = static_cast<std::uint8_t>(bytes), .value = v});
  }
  void copy(Register to, Register from, int bytes, std::int64_t change = 0) {
    put({.action = HostAction::add, .dst = to, .src = from, .bytes = static_cast<std::uint8_t>(bytes), .value = change});
  }
  void memory(HostOp op, int bytes, std::int64_t offset = 0) {
    op.bytes = static_cast<std::uint8_t>(bytes);
    op.base = base_;
    op.value = displacement_ + offset;
    op.unknown_base = unknown_base_;
    if (rip_relative_) relative_to_end_ = true;
    put(op);
  }
  void load(Register r, int bytes, std::int64_t offset = 0) { memory({.action = HostAction::load, .dst = r}, bytes, offset); }
  void store(Register r, int bytes, std::int64_t offset = 0) { memory({.action = HostAction::store, .src = r}, bytes, offset); }
  void lose_rm(int bytes) {
    if (!is_register()) store(kNoRegister, bytes);
    else destroy(bytes == 1 ? byte_register(rm_) : rm());
  }

  ByteView code_;
  std::uint64_t address_;
  std::vector<HostOp>& out_;
  std::size_t first_;
  Bytes at_ = 0;
  bool over_ = false;
  int opcode_ = 0, rex_bits_ = 0, repeat_ = 0;
  bool rex_ = false, rex_w_ = false, operand_16_ = false, segment_ = false;
  int mod_ = 0, reg_ = 0, rm_ = 0;
  Register base_ = kNoRegister;
  bool unknown_base_ = false, rip_relative_ = false, relative_to_end_ = false;
  std::int64_t displacement_ = 0;
  bool has_target_ = false;
};

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

}  // namespace

int quick_x86(ByteView code, std::uint64_t address, std::vector<HostOp>& out) {
  return Quick(code, address, out).read();
}

}  // namespace tilefit
