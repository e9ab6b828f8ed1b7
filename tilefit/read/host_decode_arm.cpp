// SPDX-License-Identifier: Apache-2.0
// aarch64 instructions as HostOps, over capstone's decoding. Instructions that are not listed
// destroy every register that they name, stores anything that may lie where they write.
#include <algorithm>
#include <array>

#include "tilefit/read/host_ops.h"

namespace tilefit {
namespace {

struct Place {
  Register number = kNoRegister;
  std::uint8_t bytes = 0;
};

/// x0..x28, fp, lr, sp and their w names; zero registers are not places.
Place general(unsigned id) {
  if (id >= ARM64_REG_X0 && id <= ARM64_REG_X28) {
    return {static_cast<Register>(id - ARM64_REG_X0), 8};
  }
  if (id >= ARM64_REG_W0 && id <= ARM64_REG_W30) {
    return {static_cast<Register>(id - ARM64_REG_W0), 4};
  }
  switch (id) {
    case ARM64_REG_X29:
      return {29, 8};
    case ARM64_REG_X30:
      return {30, 8};
    case ARM64_REG_SP:
      return {kStackPointer, 8};
    case ARM64_REG_WSP:
      return {kStackPointer, 4};
    default:
      return {};
  }
}

bool is_zero(unsigned id) { return id == ARM64_REG_XZR || id == ARM64_REG_WZR; }

struct VectorPlace {
  int number = -1;
  std::uint8_t bytes = 0;
};

VectorPlace vector_place(unsigned id) {
  struct Bank {
    unsigned first;
    std::uint8_t bytes;
  };
  for (const Bank bank : {Bank{ARM64_REG_Q0, 16}, Bank{ARM64_REG_V0, 16}, Bank{ARM64_REG_D0, 8},
                          Bank{ARM64_REG_S0, 4}, Bank{ARM64_REG_H0, 2}, Bank{ARM64_REG_B0, 1}}) {
    if (id >= bank.first && id < bank.first + 32) {
      const int number = static_cast<int>(id - bank.first);
      return {number < kVectorRegisters ? number : -1, bank.bytes};
    }
  }
  return {};
}

// clang-format off
constexpr std::array kOnlyRead{
    ARM64_INS_CMP, ARM64_INS_CMN, ARM64_INS_TST, ARM64_INS_CCMP, ARM64_INS_CCMN, ARM64_INS_FCMP,
    ARM64_INS_FCMPE, ARM64_INS_FCCMP, ARM64_INS_FCCMPE, ARM64_INS_NOP, ARM64_INS_HINT, ARM64_INS_PRFM,
    ARM64_INS_PRFUM, ARM64_INS_DMB, ARM64_INS_DSB, ARM64_INS_ISB,
};

// Loads and stores whose address is [base, #offset], with or without write-back.
struct TransferRow {
  unsigned id;
  bool load, pair;
  std::uint8_t bytes;  // 0 = of the register; others are never whole values
};
constexpr std::array kTransfers{
    TransferRow{ARM64_INS_LDR, true, false, 0},    TransferRow{ARM64_INS_LDUR, true, false, 0},
    TransferRow{ARM64_INS_LDP, true, true, 0},     TransferRow{ARM64_INS_LDNP, true, true, 0},
    TransferRow{ARM64_INS_LDRB, true, false, 1},   TransferRow{ARM64_INS_LDURB, true, false, 1},
    TransferRow{ARM64_INS_LDRH, true, false, 2},   TransferRow{ARM64_INS_LDURH, true, false, 2},
    TransferRow{ARM64_INS_STR, false, false, 0},   TransferRow{ARM64_INS_STUR, false, false, 0},
    TransferRow{ARM64_INS_STP, false, true, 0},    TransferRow{ARM64_INS_STNP, false, true, 0},
    TransferRow{ARM64_INS_STRB, false, false, 1},  TransferRow{ARM64_INS_STURB, false, false, 1},
    TransferRow{ARM64_INS_STRH, false, false, 2},  TransferRow{ARM64_INS_STURH, false, false, 2},
    TransferRow{ARM64_INS_STLR, false, false, 0},
};
// clang-format on

class Translator {
 public:
  explicit Translator(std::vector<HostOp>& out) : out_(out) {}
  void translate(const cs_insn& insn);

 private:
  bool control();
  bool moves();
  bool arithmetic();
  bool transfer();
  bool vectors();
  void generic();
  void destroy(unsigned capstone_register);
  void put(HostOp op);
  void transfer_one(const TransferRow& row, const cs_arm64_op& which, const arm64_op_mem& mem,
                    std::int64_t offset);

  const cs_arm64_op& operand(int i) const { return arm_->operands[i]; }
  int count() const { return arm_->op_count; }
  bool is_register(int i) const { return i < count() && operand(i).type == ARM64_OP_REG; }
  bool is_value(int i) const { return i < count() && operand(i).type == ARM64_OP_IMM; }
  bool plain(int i) const {
    return operand(i).shift.type == ARM64_SFT_INVALID && operand(i).ext == ARM64_EXT_INVALID;
  }
  std::int64_t shifted_value(int i) const {
    const unsigned shift = operand(i).shift.type == ARM64_SFT_LSL ? operand(i).shift.value : 0;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(operand(i).imm) << (shift & 63));
  }

  std::vector<HostOp>& out_;
  const cs_insn* insn_ = nullptr;
  const cs_arm64* arm_ = nullptr;
  bool first_ = true;
};

void Translator::put(HostOp op) {
  op.address = insn_->address;
  op.length = static_cast<std::uint8_t>(insn_->size);
  op.starts = first_;
  first_ = false;
  out_.push_back(op);
}

void Translator::destroy(unsigned id) {
  if (const Place place = general(id); place.number != kNoRegister) {
    put({.action = HostAction::destroy, .dst = place.number});
  } else if (const VectorPlace vector = vector_place(id); vector.number >= 0) {
    put({.action = HostAction::destroy, .dst = vector_half(vector.number, 0)});
    put({.action = HostAction::destroy, .dst = vector_half(vector.number, 1)});
  }
}

bool Translator::control() {
  switch (insn_->id) {
    case ARM64_INS_BL:
      put({.action = HostAction::call, .value = operand(0).imm});
      return true;
    case ARM64_INS_BLR:
      put({.action = HostAction::call});
      return true;
    case ARM64_INS_BR:
      put({.action = HostAction::jump_computed});
      return true;
    case ARM64_INS_RET:
    case ARM64_INS_BRK:
    case ARM64_INS_HLT:
      put({.action = HostAction::leave});
      return true;
    case ARM64_INS_B: {
      const bool always = arm_->cc == ARM64_CC_INVALID || arm_->cc == ARM64_CC_AL;
      put({.action = always ? HostAction::jump : HostAction::branch, .value = operand(0).imm});
      return true;
    }
    case ARM64_INS_CBZ:
    case ARM64_INS_CBNZ: {
      const Place tested = general(operand(0).reg);
      put({.action = HostAction::branch,
           .src = tested.number,
           .bytes = tested.bytes,
           .value = operand(1).imm,
           .extra = insn_->id == ARM64_INS_CBZ ? kZeroWhenTaken : kZeroWhenNot});
      return true;
    }
    case ARM64_INS_TBZ:
    case ARM64_INS_TBNZ:
      put({.action = HostAction::branch, .value = operand(2).imm});
      return true;
    default:
      return false;
  }
}

bool Translator::moves() {
  const unsigned id = insn_->id;
  const Place to = is_register(0) ? general(operand(0).reg) : Place{};
  if (to.number == kNoRegister) return false;
  if ((id == ARM64_INS_ADRP || id == ARM64_INS_ADR) && is_value(1)) {
    put({.action = HostAction::set, .dst = to.number, .value = operand(1).imm});
    return true;
  }
  if ((id == ARM64_INS_MOV || id == ARM64_INS_MOVZ) && is_value(1)) {
    put({.action = HostAction::set,
         .dst = to.number,
         .bytes = to.bytes,
         .value = shifted_value(1)});
    return true;
  }
  if (id == ARM64_INS_MOVN && is_value(1)) {
    put({.action = HostAction::set,
         .dst = to.number,
         .bytes = to.bytes,
         .value = ~shifted_value(1)});
    return true;
  }
  if (id == ARM64_INS_MOVK && is_value(1)) {
    const unsigned shift = operand(1).shift.type == ARM64_SFT_LSL ? operand(1).shift.value : 0;
    put({.action = HostAction::insert,
         .dst = to.number,
         .src = to.number,
         .bytes = to.bytes,
         .value = operand(1).imm,
         .extra = shift & 63});
    return true;
  }
  if (id == ARM64_INS_ORR && is_register(1) && is_zero(operand(1).reg) && is_value(2)) {
    put({.action = HostAction::set, .dst = to.number, .bytes = to.bytes, .value = operand(2).imm});
    return true;
  }
  if (id == ARM64_INS_MOV && is_register(1)) {
    if (is_zero(operand(1).reg)) {
      put({.action = HostAction::set, .dst = to.number, .bytes = to.bytes, .value = 0});
      return true;
    }
    const Place from = general(operand(1).reg);
    if (from.number == kNoRegister) return false;
    put({.action = HostAction::add, .dst = to.number, .src = from.number, .bytes = to.bytes});
    return true;
  }
  if (id == ARM64_INS_SXTW && is_register(1)) {
    const Place from = general(operand(1).reg);
    if (from.number == kNoRegister || to.bytes != 8) return false;
    put({.action = HostAction::sign_extend, .dst = to.number, .src = from.number, .bytes = 4});
    return true;
  }
  return false;
}

bool Translator::arithmetic() {
  const unsigned id = insn_->id;
  if ((id != ARM64_INS_ADD && id != ARM64_INS_SUB) || count() != 3 || !is_register(0) ||
      !is_register(1) || !is_value(2)) {
    return false;
  }
  const Place to = general(operand(0).reg), from = general(operand(1).reg);
  if (to.number == kNoRegister || from.number == kNoRegister) return false;
  const std::int64_t value = shifted_value(2);
  put({.action = HostAction::add,
       .dst = to.number,
       .src = from.number,
       .bytes = to.bytes,
       .value = id == ARM64_INS_ADD ? value : -value});
  return true;
}

void Translator::transfer_one(const TransferRow& row, const cs_arm64_op& which,
                              const arm64_op_mem& mem, std::int64_t offset) {
  const Place base = general(mem.base), place = general(which.reg);
  const VectorPlace vector = vector_place(which.reg);
  HostOp op{.action = row.load ? HostAction::load : HostAction::store,
            .base = base.number,
            .value = offset};
  op.unknown_base = mem.index != ARM64_REG_INVALID || base.bytes != 8;
  if (vector.bytes > 0) {
    // Both halves of a whole register; a part leaves no value behind.
    const int halves = vector.bytes == 16 ? 2 : 1;
    for (int half = 0; half < halves; ++half) {
      const bool whole = vector.number >= 0 && vector.bytes >= 8;
      const Register number = whole ? vector_half(vector.number, half) : kNoRegister;
      (row.load ? op.dst : op.src) = number;
      op.bytes = vector.bytes >= 8 ? 8 : vector.bytes;
      op.value = offset + 8 * half;
      put(op);
    }
    if (row.load && vector.bytes < 16 && vector.number >= 0) {  // what lies above becomes zero
      if (vector.bytes < 8)
        destroy(which.reg);
      else
        put({.action = HostAction::set, .dst = vector_half(vector.number, 1), .value = 0});
    }
    return;
  }
  op.bytes = row.bytes > 0                ? row.bytes
             : place.bytes > 0            ? place.bytes
             : which.reg == ARM64_REG_WZR ? std::uint8_t{4}
                                          : std::uint8_t{8};
  if (!row.load && is_zero(which.reg)) {
    op.action = HostAction::store_value;
  } else if (row.load) {
    op.dst = place.number;
    if (row.bytes > 0) op = {.action = HostAction::destroy, .dst = place.number};
  } else {
    op.src = row.bytes > 0 ? kNoRegister : place.number;
  }
  put(op);
}

bool Translator::transfer() {
  for (const TransferRow& row : kTransfers) {
    if (row.id != insn_->id) continue;
    const int values = row.pair ? 2 : 1;
    if (count() <= values || operand(values).type != ARM64_OP_MEM) return false;
    const arm64_op_mem& mem = operand(values).mem;
    const bool post = count() > values + 1 && is_value(values + 1);  // [base], #change
    const std::int64_t offset = post ? 0 : mem.disp;
    std::int64_t step = operand(0).type == ARM64_OP_REG ? general(operand(0).reg).bytes : 8;
    if (const VectorPlace vector = vector_place(operand(0).reg); vector.bytes > 0)
      step = vector.bytes;
    if (step == 0) step = operand(0).reg == ARM64_REG_WZR ? 4 : 8;
    // A pair that loads its own base reads both before it writes; order the base last.
    const bool base_first = row.load && row.pair && is_register(0) && operand(0).reg == mem.base;
    for (int i = 0; i < values; ++i) {
      const int which = base_first ? values - 1 - i : i;
      transfer_one(row, operand(which), mem, offset + step * which);
    }
    const Place base = general(mem.base);
    if (arm_->writeback && base.number != kNoRegister) {
      const std::int64_t change = post ? operand(values + 1).imm : mem.disp;
      put({.action = HostAction::add, .dst = base.number, .src = base.number, .value = change});
    }
    return true;
  }
  return false;
}

bool Translator::vectors() {
  if (insn_->id == ARM64_INS_FMOV && is_register(0) && is_register(1)) {  // to a general register
    const Place to = general(operand(0).reg);
    const VectorPlace from = vector_place(operand(1).reg);
    if (to.number != kNoRegister && from.number >= 0 && from.bytes == to.bytes) {
      put({.action = HostAction::add,
           .dst = to.number,
           .src = vector_half(from.number, 0),
           .bytes = to.bytes});
      return true;
    }
  }
  const VectorPlace to = is_register(0) ? vector_place(operand(0).reg) : VectorPlace{};
  if (to.number < 0) return false;
  if (insn_->id == ARM64_INS_MOVI && is_value(1) && operand(1).imm == 0) {
    put({.action = HostAction::set, .dst = vector_half(to.number, 0), .value = 0});
    put({.action = HostAction::set, .dst = vector_half(to.number, 1), .value = 0});
    return true;
  }
  if (insn_->id == ARM64_INS_FMOV && to.bytes >= 4 && is_register(1)) {
    const Place from = general(operand(1).reg);
    if (from.bytes != to.bytes) return false;
    put({.action = HostAction::add,
         .dst = vector_half(to.number, 0),
         .src = from.number,
         .bytes = to.bytes});
    put({.action = HostAction::set, .dst = vector_half(to.number, 1), .value = 0});
    return true;
  }
  return false;
}

void Translator::generic() {
  const bool only_reads = std::find(kOnlyRead.begin(), kOnlyRead.end(),
                                    static_cast<arm64_insn>(insn_->id)) != kOnlyRead.end();
  if (only_reads) return;
  for (int i = 0; i < count(); ++i) {
    const cs_arm64_op& o = operand(i);
    if (o.type == ARM64_OP_REG) destroy(o.reg);
    if (o.type != ARM64_OP_MEM) continue;
    HostOp op{.action = HostAction::smear, .base = general(o.mem.base).number, .value = o.mem.disp};
    op.unknown_base = o.mem.index != ARM64_REG_INVALID || op.base == kNoRegister;
    put(op);
    if (arm_->writeback) destroy(o.mem.base);
  }
  for (int i = 0; i < insn_->detail->regs_write_count; ++i) destroy(insn_->detail->regs_write[i]);
}

void Translator::translate(const cs_insn& insn) {
  insn_ = &insn;
  arm_ = &insn.detail->arm64;
  first_ = true;
  if (!control() && !moves() && !arithmetic() && !transfer() && !vectors()) generic();
  // Instructions without effect still are places that a jump may aim at.
  if (first_) put({.action = HostAction::destroy});
}

}  // namespace

void translate_arm(const cs_insn& insn, std::vector<HostOp>& out) {
  Translator(out).translate(insn);
}

}  // namespace tilefit
