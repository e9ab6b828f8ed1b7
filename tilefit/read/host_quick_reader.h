// SPDX-License-Identifier: Apache-2.0
// The reader behind quick_x86(): one instruction, opcode by opcode, after the opcode maps of the
// Intel SDM, volume 2, appendix A. One-byte opcodes are in host_quick_x86.cpp, those behind 0F in
// host_quick_two_byte.cpp.
#pragma once

#include "tilefit/read/host_quick_x86.h"

namespace tilefit::quick {

inline constexpr int kLongest = 15;  // bytes of an instruction

/// Our number of a general register from its encoding (with REX bits).
inline Register general(int encoded) {
  return encoded == 4 ? kStackPointer : static_cast<Register>(encoded);
}

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
    return bytes == 1   ? number<std::int8_t>()
           : bytes == 2 ? number<std::int16_t>()
                        : number<std::int32_t>();
  }
  int size() const { return rex_w_ ? 8 : operand_16_ ? 2 : 4; }
  std::uint8_t size8() const { return static_cast<std::uint8_t>(size()); }
  bool no_mandatory() const { return !operand_16_ && repeat_ == 0; }

  // ModRM
  void modrm();
  bool is_register() const { return mod_ == 3; }
  Register reg() const { return general(reg_); }
  Register rm() const { return general(rm_); }
  Register byte_register(
      int encoded) const {  // spl.. need a REX prefix, ah.. lie in the first four
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
    put({.action = HostAction::set,
         .dst = r,
         .bytes = static_cast<std::uint8_t>(bytes),
         .value = v});
  }
  void copy(Register to, Register from, int bytes, std::int64_t change = 0) {
    put({.action = HostAction::add,
         .dst = to,
         .src = from,
         .bytes = static_cast<std::uint8_t>(bytes),
         .value = change});
  }
  void memory(HostOp op, int bytes, std::int64_t offset = 0) {
    op.bytes = static_cast<std::uint8_t>(bytes);
    op.base = base_;
    op.value = displacement_ + offset;
    op.unknown_base = unknown_base_;
    if (rip_relative_) relative_to_end_ = true;
    put(op);
  }
  void load(Register r, int bytes, std::int64_t offset = 0) {
    memory({.action = HostAction::load, .dst = r}, bytes, offset);
  }
  void store(Register r, int bytes, std::int64_t offset = 0) {
    memory({.action = HostAction::store, .src = r}, bytes, offset);
  }
  void lose_rm(int bytes) {
    if (!is_register())
      store(kNoRegister, bytes);
    else
      destroy(bytes == 1 ? byte_register(rm_) : rm());
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

}  // namespace tilefit::quick
