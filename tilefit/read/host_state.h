// SPDX-License-Identifier: Apache-2.0
// HostState: what is known of registers and of the stack frame at one place of host code. Knowledge
// is only ever lost, never guessed: where two ways meet, what they do not agree on is unknown.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tilefit/read/host_image.h"
#include "tilefit/read/host_ops.h"

namespace tilefit {

enum class ValueKind : std::uint8_t {
  unknown,
  constant,    // a number, or an address of this file
  stack,       // `number` bytes from where the stack pointer was on entry (of a frame)
  named,       // a handle of the kernel whose name lies at `number`
  registered,  // a handle of the kernel whose host function is at `number`
  parameter,   // what the function was called with as argument `number`
  popped,      // a launch size that <<<..>>> pushed elsewhere
  variable,    // what the global at `number` held: looking further will not tell
};

struct HostValue {
  ValueKind kind = ValueKind::unknown;
  std::uint8_t frame = 0;  // of a stack place: each realignment begins another
  std::int64_t number = 0;

  bool is_constant() const { return kind == ValueKind::constant; }
  bool operator==(const HostValue&) const = default;
};

/// How the processor's calls pass and keep values.
struct CallingConvention {
  std::array<Register, 8> arguments{};
  int register_arguments = 0;
  std::uint32_t kept = 0;          // general registers that calls keep, as bits
  std::uint32_t kept_vectors = 0;  // vector registers of which calls keep the lower half
  Register frame_pointer = 0;
  int return_bytes = 0;  // what a call pushes
};
const CallingConvention& calling_convention(std::uint16_t machine);

class HostState {
 public:
  static constexpr int kMaxFrames = 4;
  static constexpr std::size_t kMaxSlots = 256;

  /// On entry to a function: only the stack pointer means something. In a part of one, places of
  /// the frame may have been handed out before.
  static HostState at_entry(bool whole_function, const CallingConvention& convention);
  /// Where control may come from anywhere: nothing is known.
  static HostState nothing();

  /// Takes from this state what `other` does not confirm. True if anything was lost.
  bool meet(const HostState& other);
  void apply(const HostOp& op, const HostImage& image, const CallingConvention& convention);

  HostValue value(Register r) const { return r < kRegisterCount ? registers_[r] : HostValue{}; }
  /// `bytes` (4 or 8) at `offset` from the place that `base` points to.
  HostValue memory(const HostValue& base, std::int64_t offset, int bytes,
                   const HostImage& image) const;
  /// Argument `index` of a call; `tail`: of a jump that stands for a call.
  HostValue argument(int index, bool tail, const HostImage& image,
                     const CallingConvention& c) const;
  /// What a callee may have written is forgotten.
  void after_call(const CallingConvention& convention);
  void assume(Register r, const HostValue& value) { set(r, value); }
  void write(const HostValue& place, std::int64_t offset, int bytes, const HostValue& value);

 private:
  struct Slot {
    std::uint8_t frame = 0;
    std::uint8_t bytes = 0;
    std::int64_t offset = 0;
    HostValue value;
    bool operator==(const Slot&) const = default;
  };

  void set(Register r, const HostValue& value) {
    if (r < kRegisterCount) registers_[r] = value;
  }
  void escape(const HostValue& value);
  void forget_escaped();
  void smear(const HostValue& place, std::int64_t offset);
  void add(const HostOp& op, const CallingConvention& convention);
  void store(const HostOp& op, const HostValue& value);

  std::array<HostValue, kRegisterCount> registers_{};
  std::vector<Slot> slots_;
  std::array<std::int64_t, kMaxFrames> escaped_{};  // lowest place whose address was handed out
};

}  // namespace tilefit
