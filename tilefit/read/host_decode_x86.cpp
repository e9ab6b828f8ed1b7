// SPDX-License-Identifier: Apache-2.0
// x86-64 instructions as HostOps, over capstone's decoding. Instructions that are not listed
// destroy every register and every place in memory that they name, whatever they do with them.
#include <algorithm>
#include <array>

#include "tilefit/read/host_ops.h"

// Instruction tables, one case a line.
// clang-format off

namespace tilefit {
namespace {

struct RegisterRow {
  unsigned id;
  Register number;
  std::uint8_t bytes;
};

constexpr std::array kRegisters{
    RegisterRow{X86_REG_RAX, 0, 8},  RegisterRow{X86_REG_EAX, 0, 4},  RegisterRow{X86_REG_AX, 0, 2},  RegisterRow{X86_REG_AL, 0, 1},  RegisterRow{X86_REG_AH, 0, 1},
    RegisterRow{X86_REG_RCX, 1, 8},  RegisterRow{X86_REG_ECX, 1, 4},  RegisterRow{X86_REG_CX, 1, 2},  RegisterRow{X86_REG_CL, 1, 1},  RegisterRow{X86_REG_CH, 1, 1},
    RegisterRow{X86_REG_RDX, 2, 8},  RegisterRow{X86_REG_EDX, 2, 4},  RegisterRow{X86_REG_DX, 2, 2},  RegisterRow{X86_REG_DL, 2, 1},  RegisterRow{X86_REG_DH, 2, 1},
    RegisterRow{X86_REG_RBX, 3, 8},  RegisterRow{X86_REG_EBX, 3, 4},  RegisterRow{X86_REG_BX, 3, 2},  RegisterRow{X86_REG_BL, 3, 1},  RegisterRow{X86_REG_BH, 3, 1},
    RegisterRow{X86_REG_RSP, 31, 8}, RegisterRow{X86_REG_ESP, 31, 4}, RegisterRow{X86_REG_SP, 31, 2}, RegisterRow{X86_REG_SPL, 31, 1},
    RegisterRow{X86_REG_RBP, 5, 8},  RegisterRow{X86_REG_EBP, 5, 4},  RegisterRow{X86_REG_BP, 5, 2},  RegisterRow{X86_REG_BPL, 5, 1},
    RegisterRow{X86_REG_RSI, 6, 8},  RegisterRow{X86_REG_ESI, 6, 4},  RegisterRow{X86_REG_SI, 6, 2},  RegisterRow{X86_REG_SIL, 6, 1},
    RegisterRow{X86_REG_RDI, 7, 8},  RegisterRow{X86_REG_EDI, 7, 4},  RegisterRow{X86_REG_DI, 7, 2},  RegisterRow{X86_REG_DIL, 7, 1},
    RegisterRow{X86_REG_R8, 8, 8},   RegisterRow{X86_REG_R8D, 8, 4},  RegisterRow{X86_REG_R8W, 8, 2}, RegisterRow{X86_REG_R8B, 8, 1},
    RegisterRow{X86_REG_R9, 9, 8},   RegisterRow{X86_REG_R9D, 9, 4},  RegisterRow{X86_REG_R9W, 9, 2}, RegisterRow{X86_REG_R9B, 9, 1},
    RegisterRow{X86_REG_R10, 10, 8}, RegisterRow{X86_REG_R10D, 10, 4}, RegisterRow{X86_REG_R10W, 10, 2}, RegisterRow{X86_REG_R10B, 10, 1},
    RegisterRow{X86_REG_R11, 11, 8}, RegisterRow{X86_REG_R11D, 11, 4}, RegisterRow{X86_REG_R11W, 11, 2}, RegisterRow{X86_REG_R11B, 11, 1},
    RegisterRow{X86_REG_R12, 12, 8}, RegisterRow{X86_REG_R12D, 12, 4}, RegisterRow{X86_REG_R12W, 12, 2}, RegisterRow{X86_REG_R12B, 12, 1},
    RegisterRow{X86_REG_R13, 13, 8}, RegisterRow{X86_REG_R13D, 13, 4}, RegisterRow{X86_REG_R13W, 13, 2}, RegisterRow{X86_REG_R13B, 13, 1},
    RegisterRow{X86_REG_R14, 14, 8}, RegisterRow{X86_REG_R14D, 14, 4}, RegisterRow{X86_REG_R14W, 14, 2}, RegisterRow{X86_REG_R14B, 14, 1},
    RegisterRow{X86_REG_R15, 15, 8}, RegisterRow{X86_REG_R15D, 15, 4}, RegisterRow{X86_REG_R15W, 15, 2}, RegisterRow{X86_REG_R15B, 15, 1},
};

// Instructions that write no general register and no memory that they name.
constexpr std::array kOnlyRead{
    X86_INS_CMP, X86_INS_TEST, X86_INS_NOP, X86_INS_BT, X86_INS_ENDBR64, X86_INS_COMISS, X86_INS_COMISD,
    X86_INS_UCOMISS, X86_INS_UCOMISD, X86_INS_VCOMISS, X86_INS_VCOMISD, X86_INS_VUCOMISS, X86_INS_VUCOMISD,
    X86_INS_PREFETCHT0, X86_INS_PREFETCHT1, X86_INS_PREFETCHT2, X86_INS_PREFETCHNTA, X86_INS_PREFETCHW,
    X86_INS_PTEST, X86_INS_VPTEST, X86_INS_CVTSI2SD, X86_INS_CVTSI2SS, X86_INS_VCVTSI2SD, X86_INS_VCVTSI2SS,
    X86_INS_VZEROUPPER, X86_INS_VZEROALL, X86_INS_FNINIT,
};

constexpr std::array kVectorCopies{
    X86_INS_MOVAPS, X86_INS_MOVUPS, X86_INS_MOVAPD, X86_INS_MOVUPD, X86_INS_MOVDQA, X86_INS_MOVDQU,
    X86_INS_VMOVAPS, X86_INS_VMOVUPS, X86_INS_VMOVAPD, X86_INS_VMOVUPD, X86_INS_VMOVDQA, X86_INS_VMOVDQU,
};

constexpr std::array kVectorXors{
    X86_INS_PXOR, X86_INS_XORPS, X86_INS_XORPD, X86_INS_VPXOR, X86_INS_VXORPS, X86_INS_VXORPD,
};

template <std::size_t N, class T>
bool is_one_of(const std::array<T, N>& list, unsigned id) {
  return std::find(list.begin(), list.end(), static_cast<T>(id)) != list.end();
}

const RegisterRow* general(unsigned id) {
  static const std::array<const RegisterRow*, X86_REG_ENDING> by_id = [] {
    std::array<const RegisterRow*, X86_REG_ENDING> table{};
    for (const RegisterRow& row : kRegisters) table[row.id] = &row;
    return table;
  }();
  return id < by_id.size() ? by_id[id] : nullptr;
}

/// Number of an xmm register that is followed; -1 for others.
int vector_number(unsigned id) {
  if (id >= X86_REG_XMM0 && id < X86_REG_XMM0 + kVectorRegisters) {
    return static_cast<int>(id - X86_REG_XMM0);
  }
  return -1;
}

/// The vector register that a wider name shares its low half with; -1 for others.
int vector_part(unsigned id) {
  for (const unsigned first : {X86_REG_XMM0, X86_REG_YMM0, X86_REG_ZMM0}) {
    if (id >= first && id < first + kVectorRegisters) return static_cast<int>(id - first);
  }
  return -1;
}

class Translator {
 public:
  explicit Translator(std::vector<HostOp>& out) : out_(out) {}
  void translate(const cs_insn& insn);

 private:
  void dispatch();
  bool control();
  bool moves();
  bool arithmetic();
  bool stack();
  bool vectors();
  void generic();
  void destroy(unsigned capstone_register);
  void put(HostOp op);
  void memory(HostOp op, const cs_x86_op& operand);
  void push_register_or_value(const cs_x86_op& operand);

  const cs_x86_op& operand(int i) const { return x86_->operands[i]; }
  bool is_register(int i) const { return i < x86_->op_count && operand(i).type == X86_OP_REG; }
  bool is_memory(int i) const { return i < x86_->op_count && operand(i).type == X86_OP_MEM; }
  bool is_value(int i) const { return i < x86_->op_count && operand(i).type == X86_OP_IMM; }
  const RegisterRow* row(int i) const { return is_register(i) ? general(operand(i).reg) : nullptr; }
  bool same_register() const {
    return is_register(0) && is_register(1) && operand(0).reg == operand(1).reg;
  }

  std::vector<HostOp>& out_;
  const cs_insn* insn_ = nullptr;
  const cs_x86* x86_ = nullptr;
  bool first_ = true;
};

void Translator::put(HostOp op) {
  op.address = insn_->address;
  op.length = static_cast<std::uint8_t>(insn_->size);
  op.starts = first_;
  first_ = false;
  out_.push_back(op);
}

// Completes `op` with the address that a memory operand means.
void Translator::memory(HostOp op, const cs_x86_op& operand) {
  const x86_op_mem& mem = operand.mem;
  op.value = mem.disp;
  if (mem.segment == X86_REG_FS || mem.segment == X86_REG_GS || mem.index != X86_REG_INVALID) {
    op.unknown_base = true;
  } else if (mem.base == X86_REG_RIP) {
    op.value += static_cast<std::int64_t>(insn_->address + insn_->size);
  } else if (const RegisterRow* base = general(mem.base)) {
    op.base = base->number;
    if (base->bytes != 8) op.unknown_base = true;
  } else if (mem.base != X86_REG_INVALID) {
    op.unknown_base = true;
  }
  put(op);
}

void Translator::destroy(unsigned id) {
  if (const RegisterRow* r = general(id)) {
    put({.action = HostAction::destroy, .dst = r->number});
  } else if (const int vector = vector_part(id); vector >= 0) {
    put({.action = HostAction::destroy, .dst = vector_half(vector, 0)});
    put({.action = HostAction::destroy, .dst = vector_half(vector, 1)});
  }
}

bool Translator::control() {
  const unsigned id = insn_->id;
  const bool direct = is_value(0);
  const std::int64_t target = direct ? operand(0).imm : 0;
  if (id == X86_INS_CALL) {
    put({.action = HostAction::call, .value = target});
    if (is_memory(0) && operand(0).mem.base == X86_REG_RIP) {
      // Through a slot of the global offset table: the flow looks up what the slot is bound to.
      out_.back().through_slot = true;
      out_.back().extra = operand(0).mem.disp + static_cast<std::int64_t>(insn_->address + insn_->size);
    }
    return true;
  }
  if (id == X86_INS_JMP) {
    HostOp op{.action = direct ? HostAction::jump : HostAction::jump_computed, .value = target};
    if (is_memory(0) && operand(0).mem.base == X86_REG_RIP) {
      op.through_slot = true;
    }
    if (is_memory(0) && operand(0).mem.base == X86_REG_INVALID) op.extra = operand(0).mem.disp;
    if (op.through_slot) {
      op.extra = operand(0).mem.disp + static_cast<std::int64_t>(insn_->address + insn_->size);
    }
    put(op);
    return true;
  }
  if (id == X86_INS_RET || id == X86_INS_UD2 || id == X86_INS_HLT || id == X86_INS_INT3) {
    put({.action = HostAction::leave});
    return true;
  }
  for (int i = 0; i < insn_->detail->groups_count; ++i) {
    if (insn_->detail->groups[i] != CS_GRP_JUMP || !direct) continue;
    if (id == X86_INS_LOOP || id == X86_INS_LOOPE || id == X86_INS_LOOPNE) destroy(X86_REG_RCX);
    put({.action = HostAction::branch, .value = target});
    return true;
  }
  return false;
}

bool Translator::moves() {
  const unsigned id = insn_->id;
  const RegisterRow *to = row(0), *from = row(1);
  if (id == X86_INS_LEA && to != nullptr && is_memory(1)) {
    const x86_op_mem& mem = operand(1).mem;
    const RegisterRow* base = general(mem.base);
    HostOp op{.action = HostAction::destroy, .dst = to->number, .bytes = to->bytes};
    if (to->bytes >= 4 && mem.index == X86_REG_INVALID && mem.base == X86_REG_RIP) {
      op.action = HostAction::set;
      op.value = mem.disp + static_cast<std::int64_t>(insn_->address + insn_->size);
    } else if (to->bytes >= 4 && mem.index == X86_REG_INVALID && base != nullptr && base->bytes == 8) {
      op.action = HostAction::add;
      op.src = base->number;
      op.value = mem.disp;
    }
    put(op);
    return true;
  }
  if (id == X86_INS_MOVSXD && to != nullptr && from != nullptr && to->bytes == 8 && from->bytes == 4) {
    put({.action = HostAction::sign_extend, .dst = to->number, .src = from->number, .bytes = 4});
    return true;
  }
  if (id != X86_INS_MOV && id != X86_INS_MOVABS) return false;
  if (to != nullptr && to->bytes < 4) {
    destroy(operand(0).reg);  // a part changes, the whole is lost
  } else if (to != nullptr && is_value(1)) {
    put({.action = HostAction::set, .dst = to->number, .bytes = to->bytes, .value = operand(1).imm});
  } else if (to != nullptr && from != nullptr && from->bytes == to->bytes) {
    put({.action = HostAction::add, .dst = to->number, .src = from->number, .bytes = to->bytes});
  } else if (to != nullptr && is_memory(1)) {
    memory({.action = HostAction::load, .dst = to->number, .bytes = to->bytes}, operand(1));
  } else if (is_memory(0) && from != nullptr) {
    const bool whole = from->bytes >= 4;
    memory({.action = HostAction::store, .src = whole ? from->number : kNoRegister, .bytes = from->bytes},
           operand(0));
  } else if (is_memory(0) && is_value(1)) {
    memory({.action = HostAction::store_value, .bytes = operand(0).size, .extra = operand(1).imm}, operand(0));
  } else {
    return false;
  }
  return true;
}

bool Translator::arithmetic() {
  const unsigned id = insn_->id;
  const RegisterRow* to = row(0);
  if (to == nullptr || to->bytes < 4) return false;
  if ((id == X86_INS_XOR || id == X86_INS_SUB) && same_register()) {
    put({.action = HostAction::set, .dst = to->number, .bytes = to->bytes, .value = 0});
    return true;
  }
  if (id == X86_INS_OR && is_value(1) && operand(1).imm == -1) {
    put({.action = HostAction::set, .dst = to->number, .bytes = to->bytes, .value = -1});
    return true;
  }
  if (id == X86_INS_AND && to->number == kStackPointer && is_value(1)) {
    put({.action = HostAction::realign, .dst = kStackPointer});
    return true;
  }
  std::int64_t change = 0;
  if (id == X86_INS_ADD && is_value(1)) change = operand(1).imm;
  else if (id == X86_INS_SUB && is_value(1) && operand(1).imm != INT64_MIN) change = -operand(1).imm;
  else if (id == X86_INS_INC) change = 1;
  else if (id == X86_INS_DEC) change = -1;
  else return false;
  put({.action = HostAction::add, .dst = to->number, .src = to->number, .bytes = to->bytes, .value = change});
  return true;
}

void Translator::push_register_or_value(const cs_x86_op& what) {
  HostOp store{.action = HostAction::store, .base = kStackPointer};
  if (what.type == X86_OP_IMM) {
    store.action = HostAction::store_value;
    store.extra = what.imm;
  } else if (what.type == X86_OP_MEM) {
    store.src = kScratchX86;
  } else if (const RegisterRow* r = what.type == X86_OP_REG ? general(what.reg) : nullptr) {
    store.src = r->number;
  }
  put(store);
}

bool Translator::stack() {
  switch (insn_->id) {
    case X86_INS_PUSH:
      if (is_memory(0)) memory({.action = HostAction::load, .dst = kScratchX86}, operand(0));
      put({.action = HostAction::add, .dst = kStackPointer, .src = kStackPointer, .value = -8});
      push_register_or_value(operand(0));
      return true;
    case X86_INS_POP: {
      const RegisterRow* to = row(0);
      if (to == nullptr) return false;
      put({.action = HostAction::load, .dst = to->number, .base = kStackPointer});
      put({.action = HostAction::add, .dst = kStackPointer, .src = kStackPointer, .value = 8});
      return true;
    }
    case X86_INS_LEAVE:
      put({.action = HostAction::add, .dst = kStackPointer, .src = 5});
      put({.action = HostAction::load, .dst = 5, .base = kStackPointer});
      put({.action = HostAction::add, .dst = kStackPointer, .src = kStackPointer, .value = 8});
      return true;
    default: return false;
  }
}

bool Translator::vectors() {
  const unsigned id = insn_->id;
  const int to = is_register(0) ? vector_number(operand(0).reg) : -1;
  const int last = x86_->op_count - 1;
  if (is_one_of(kVectorXors, id) && to >= 0 && last >= 1 && is_register(last) &&
      is_register(last - 1) && operand(last).reg == operand(last - 1).reg) {
    put({.action = HostAction::set, .dst = vector_half(to, 0), .value = 0});
    put({.action = HostAction::set, .dst = vector_half(to, 1), .value = 0});
    return true;
  }
  if (is_one_of(kVectorCopies, id) && x86_->op_count == 2) {
    const int from = is_register(1) ? vector_number(operand(1).reg) : -1;
    const bool store = is_memory(0) && from >= 0, load = to >= 0 && is_memory(1);
    if (!store && !load && (to < 0 || from < 0)) return false;
    for (const int half : {0, 1}) {
      HostOp op{.action = HostAction::add};
      if (store) op = {.action = HostAction::store, .src = vector_half(from, half)};
      if (load) op = {.action = HostAction::load, .dst = vector_half(to, half)};
      if (!store && !load) {
        op.dst = vector_half(to, half);
        op.src = vector_half(from, half);
        put(op);
        continue;
      }
      cs_x86_op place = operand(store ? 0 : 1);
      place.mem.disp += 8 * half;
      memory(op, place);
    }
    return true;
  }
  if ((id == X86_INS_MOVQ || id == X86_INS_VMOVQ || id == X86_INS_MOVD || id == X86_INS_VMOVD) && to >= 0) {
    const std::uint8_t bytes = id == X86_INS_MOVQ || id == X86_INS_VMOVQ ? 8 : 4;
    if (const RegisterRow* from = row(1); from != nullptr && from->bytes >= 4) {
      put({.action = HostAction::add, .dst = vector_half(to, 0), .src = from->number, .bytes = bytes});
    } else if (is_memory(1)) {
      memory({.action = HostAction::load, .dst = vector_half(to, 0), .bytes = bytes}, operand(1));
    } else {
      return false;
    }
    put({.action = HostAction::set, .dst = vector_half(to, 1), .value = 0});
    return true;
  }
  if (id == X86_INS_PUNPCKLQDQ && to >= 0 && is_register(1) && vector_number(operand(1).reg) >= 0) {
    put({.action = HostAction::add, .dst = vector_half(to, 1),
         .src = vector_half(vector_number(operand(1).reg), 0)});
    return true;
  }
  if (id == X86_INS_MOVHPS && to >= 0 && is_memory(1)) {
    memory({.action = HostAction::load, .dst = vector_half(to, 1)}, operand(1));
    return true;
  }
  return false;
}

void Translator::generic() {
  const bool only_reads = is_one_of(kOnlyRead, insn_->id);
  const bool repeats = x86_->prefix[0] == X86_PREFIX_REP || x86_->prefix[0] == X86_PREFIX_REPNE;
  for (int i = 0; i < x86_->op_count; ++i) {
    const cs_x86_op& o = operand(i);
    if (o.type == X86_OP_REG && (!only_reads || vector_part(o.reg) >= 0)) destroy(o.reg);
    if (o.type != X86_OP_MEM || only_reads) continue;
    const bool exchange = insn_->id == X86_INS_XCHG || insn_->id == X86_INS_XADD;
    if (i != 0 && !exchange && (o.access & CS_AC_WRITE) == 0 && o.access != 0) continue;
    const bool bounded = !repeats && o.size > 0 && o.size <= 64;
    if (bounded) memory({.action = HostAction::store, .bytes = o.size}, o);
    else memory({.action = HostAction::smear}, o);
  }
  for (int i = 0; i < insn_->detail->regs_write_count; ++i) destroy(insn_->detail->regs_write[i]);
}

void Translator::dispatch() {
  if (control() || moves() || arithmetic() || stack() || vectors()) return;
  generic();
}

void Translator::translate(const cs_insn& insn) {
  insn_ = &insn;
  x86_ = &insn.detail->x86;
  first_ = true;
  dispatch();
  // Instructions without effect still are places that a jump may aim at.
  if (first_) put({.action = HostAction::destroy});
}

}  // namespace

void translate_x86(const cs_insn& insn, std::vector<HostOp>& out) { Translator(out).translate(insn); }

}  // namespace tilefit
// clang-format on
