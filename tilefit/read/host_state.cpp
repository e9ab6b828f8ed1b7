// SPDX-License-Identifier: Apache-2.0
// The effect of each HostOp on what is known.
#include "tilefit/read/host_state.h"

#include <algorithm>
#include <limits>

// Instruction tables, one case a line.
// clang-format off
namespace tilefit {
namespace {

constexpr int kStackParameters = 4;
constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

constexpr std::uint32_t bits(std::initializer_list<int> registers) {
  std::uint32_t out = 0;
  for (const int r : registers) out |= 1u << r;
  return out;
}

// System V x86-64: rdi, rsi, rdx, rcx, r8, r9; rbx, rbp, r12..r15 are kept.
constexpr CallingConvention kX86{.arguments = {7, 6, 2, 1, 8, 9, 0, 0},
                                 .register_arguments = 6,
                                 .kept = bits({3, 5, 12, 13, 14, 15}),
                                 .frame_pointer = 5,
                                 .return_bytes = 8};
// AAPCS64: x0..x7; x19..x29 are kept.
constexpr CallingConvention kArm{.arguments = {0, 1, 2, 3, 4, 5, 6, 7},
                                 .register_arguments = 8,
                                 .kept = bits({19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29}),
                         .kept_vectors = bits({8, 9, 10, 11, 12, 13, 14, 15}),
                                 .frame_pointer = 29,
                                 .return_bytes = 0};

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// A result of `bytes`: four clear the upper half. A narrowed parameter (frame 1) is its lower half.
HostValue narrowed(HostValue value, int bytes) {
  if (bytes >= 8) return value;
  if (value.kind == ValueKind::parameter && bytes == 4) return {ValueKind::parameter, 1, value.number};
  if (!value.is_constant() || bytes != 4) return {};
  value.number = static_cast<std::int64_t>(static_cast<std::uint32_t>(value.number));
  return value;
}

HostValue constant(std::int64_t number) { return {ValueKind::constant, 0, number}; }

}  // namespace

const CallingConvention& calling_convention(std::uint16_t machine) {
  return machine == kMachineArm ? kArm : kX86;
}

HostState HostState::at_entry(bool whole_function, const CallingConvention& convention) {
  HostState state = nothing();
  state.registers_[kStackPointer] = {ValueKind::stack, 0, 0};
  if (!whole_function) return state;
  state.escaped_.fill(kNowhere);
  for (int i = 0; i < convention.register_arguments; ++i) {
    state.registers_[convention.arguments[static_cast<std::size_t>(i)]] = {ValueKind::parameter, 0, i};
  }
  for (int i = 0; i < kStackParameters; ++i) {
    state.slots_.push_back({.frame = 0, .bytes = 8, .offset = convention.return_bytes + 8 * i,
                            .value = {ValueKind::parameter, 0, convention.register_arguments + i}});
  }
  return state;
}

HostState HostState::nothing() {
  HostState state;
  state.escaped_.fill(std::numeric_limits<std::int64_t>::min());
  return state;
}

bool HostState::meet(const HostState& other) {
  bool lost = false;
  for (std::size_t r = 0; r < registers_.size(); ++r) {
    if (registers_[r].kind == ValueKind::unknown || registers_[r] == other.registers_[r]) continue;
    registers_[r] = {};
    lost = true;
  }
  const std::size_t before = slots_.size();
  std::erase_if(slots_, [&](const Slot& slot) {
    return std::find(other.slots_.begin(), other.slots_.end(), slot) == other.slots_.end();
  });
  lost = lost || slots_.size() != before;
  for (std::size_t f = 0; f < escaped_.size(); ++f) {
    if (other.escaped_[f] >= escaped_[f]) continue;
    escaped_[f] = other.escaped_[f];
    lost = true;
  }
  return lost;
}

void HostState::escape(const HostValue& value) {
  if (value.kind != ValueKind::stack) return;
  escaped_[value.frame] = std::min(escaped_[value.frame], value.number);
}

void HostState::forget_escaped() {
  std::erase_if(slots_, [&](const Slot& slot) { return slot.offset + slot.bytes > escaped_[slot.frame]; });
}

void HostState::smear(const HostValue& place, std::int64_t offset) {
  if (place.is_constant()) return;
  if (place.kind != ValueKind::stack) return forget_escaped();
  const std::int64_t from = wrapping_add(place.number, offset);
  std::erase_if(slots_, [&](const Slot& slot) {
    return slot.frame == place.frame && slot.offset + slot.bytes > from;
  });
}

void HostState::write(const HostValue& place, std::int64_t offset, int bytes, const HostValue& value) {
  if (place.is_constant()) return;  // a global: loads never read those back
  if (place.kind != ValueKind::stack) return forget_escaped();
  const std::int64_t from = wrapping_add(place.number, offset);
  std::erase_if(slots_, [&](const Slot& slot) {
    return slot.frame == place.frame && slot.offset < from + bytes && slot.offset + slot.bytes > from;
  });
  if (value.kind == ValueKind::unknown || slots_.size() >= kMaxSlots) return;
  const bool halves = value.is_constant() || value.kind == ValueKind::parameter;
  if (bytes != 8 && !(bytes == 4 && halves)) return;
  slots_.push_back({.frame = place.frame, .bytes = static_cast<std::uint8_t>(bytes), .offset = from,
                    .value = narrowed(value, bytes)});
}

HostValue HostState::memory(const HostValue& base, std::int64_t offset, int bytes,
                            const HostImage& image) const {
  if (base.is_constant()) {
    const auto address = static_cast<Address>(wrapping_add(base.number, offset));
    if (const BoundSlot* slot = image.bound(address)) {
      return bytes == 8 && slot->target != 0 ? constant(static_cast<std::int64_t>(slot->target)) : HostValue{};
    }
    const auto number = image.constant(address, bytes);
    if (number) return constant(static_cast<std::int64_t>(*number));
    return bytes == 8 ? HostValue{ValueKind::variable, 0, static_cast<std::int64_t>(address)} : HostValue{};
  }
  if (base.kind != ValueKind::stack) return {};
  const std::int64_t from = wrapping_add(base.number, offset);
  for (const Slot& slot : slots_) {
    if (slot.frame != base.frame || slot.offset != from || slot.bytes < bytes) continue;
    return slot.bytes == bytes ? slot.value : narrowed(slot.value, bytes);
  }
  return {};
}

HostValue HostState::argument(int index, bool tail, const HostImage& image,
                              const CallingConvention& c) const {
  if (index < c.register_arguments) return value(c.arguments[static_cast<std::size_t>(index)]);
  const int on_stack = 8 * (index - c.register_arguments) + (tail ? c.return_bytes : 0);
  return memory(value(kStackPointer), on_stack, 8, image);
}

void HostState::after_call(const CallingConvention& convention) {
  for (Register r = 0; r < kRegisterCount; ++r) {
    const bool lower = r >= kFirstVector && (r - kFirstVector) % 2 == 0;
    const bool kept = r == kStackPointer || (r < kStackPointer && (convention.kept >> r & 1) != 0) ||
                      (lower && (convention.kept_vectors >> ((r - kFirstVector) / 2) & 1) != 0);
    if (!kept) registers_[r] = {};
  }
  forget_escaped();
}

void HostState::add(const HostOp& op, const CallingConvention& convention) {
  HostValue result = value(op.src);
  if (result.kind != ValueKind::constant && result.kind != ValueKind::stack && op.value != 0) result = {};
  result.number = wrapping_add(result.number, op.value);
  result = narrowed(result, op.bytes);
  // An address in a register may be handed on from there; the frame's own registers are not.
  if (op.dst != kStackPointer && op.dst != convention.frame_pointer) escape(result);
  set(op.dst, result);
}

void HostState::store(const HostOp& op, const HostValue& stored) {
  escape(stored);
  if (op.unknown_base) return forget_escaped();
  const HostValue base = op.base == kNoRegister ? constant(op.value) : value(op.base);
  write(base, op.base == kNoRegister ? 0 : op.value, op.bytes, stored);
}

void HostState::apply(const HostOp& op, const HostImage& image, const CallingConvention& convention) {
  switch (op.action) {
    case HostAction::set: set(op.dst, narrowed(constant(op.value), op.bytes)); break;
    case HostAction::add: add(op, convention); break;
    case HostAction::insert: {
      HostValue result = value(op.src);
      if (result.is_constant()) {
        const auto mask = std::uint64_t{0xffff} << op.extra;
        const auto put = static_cast<std::uint64_t>(op.value) << op.extra & mask;
        result.number = static_cast<std::int64_t>((static_cast<std::uint64_t>(result.number) & ~mask) | put);
      } else {
        result = {};
      }
      set(op.dst, narrowed(result, op.bytes));
      break;
    }
    case HostAction::sign_extend: {
      const HostValue from = value(op.src);
      set(op.dst, from.is_constant() ? constant(static_cast<std::int32_t>(from.number)) : HostValue{});
      break;
    }
    case HostAction::load: {
      HostValue result;
      if (!op.unknown_base) {
        const HostValue base = op.base == kNoRegister ? constant(op.value) : value(op.base);
        result = memory(base, op.base == kNoRegister ? 0 : op.value, op.bytes, image);
      }
      escape(result);
      set(op.dst, result);
      break;
    }
    case HostAction::store: store(op, value(op.src)); break;
    case HostAction::store_value: store(op, constant(op.extra)); break;
    case HostAction::smear: {
      const HostValue base = op.base == kNoRegister ? constant(op.value) : value(op.base);
      if (op.unknown_base) forget_escaped();
      else smear(base, op.base == kNoRegister ? 0 : op.value);
      break;
    }
    case HostAction::destroy: set(op.dst, {}); break;
    case HostAction::realign: {
      HostValue sp = value(kStackPointer);
      const bool another = sp.kind == ValueKind::stack && sp.frame + 1 < kMaxFrames;
      const auto frame = static_cast<std::uint8_t>(sp.frame + 1);
      set(kStackPointer, another ? HostValue{ValueKind::stack, frame, 0} : HostValue{});
      break;
    }
    case HostAction::call: after_call(convention); break;
    case HostAction::jump:
    case HostAction::branch:
    case HostAction::jump_computed:
    case HostAction::leave: break;
  }
}

}  // namespace tilefit
// clang-format on
