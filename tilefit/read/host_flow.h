// SPDX-License-Identifier: Apache-2.0
// HostFlow: follows values through a function of host code, over all its ways: blocks, joins, loops,
// landing pads of exceptions, jump tables, and parts that the compiler moved elsewhere.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tilefit/read/function_table.h"
#include "tilefit/read/host_decoder.h"
#include "tilefit/read/host_image.h"
#include "tilefit/read/host_state.h"

namespace tilefit {

/// What calls (and jumps out of the function) mean.
struct CallMeaning {
  /// Whether anybody wants to know of this call: 0 = no, 1 = before those of 2.
  std::function<int(const HostOp& call)> matters;
  /// Makes of what is known before a call what is known after it.
  std::function<void(const HostOp& call, HostState& state)> effect;
  /// Whether all that matters of the call is known; if not, more of the code before it is followed.
  std::function<bool(const HostOp& call, const HostState& state)> enough;
  /// What is known before the call, on one of the ways to it.
  std::function<void(const HostOp& call, const HostState& state)> note;
};

class HostFlow {
 public:
  HostFlow(const HostImage& image, const FunctionTable& functions);

  /// Follows `function` and notes those of its calls that matter, in order of address, or none of
  /// them if it cannot be followed. Returns the code that this settles.
  std::vector<HostFunction> follow(const HostFunction& function, const CallMeaning& meaning);

  /// The function that is being followed.
  const HostFunction& current() const { return region_.front(); }
  /// Bytes decoded so far.
  Bytes decoded() const { return decoded_; }

 private:
  struct Block {
    std::size_t begin = 0, end = 0;     // ops
    std::vector<std::uint32_t> next, previous;  // blocks
    bool open = false;                  // control may enter from where we do not see
    std::uint32_t state = kUnreached;   // what is known on entry, among states_
    bool reached() const { return state != kUnreached; }
  };
  static constexpr std::uint32_t kUnreached = 0xffffffff;

  bool gather(const HostFunction& function);
  bool prepare(const HostFunction& function);
  bool take(const HostFunction& function);
  bool take_neighbours();
  bool mark_entries();
  bool mark_tables();
  bool mark_table(Address table, Address base, int width, int scale);
  bool build_blocks();
  bool join_tables();
  bool settle(const CallMeaning& meaning);
  void run(std::size_t begin, std::size_t end, HostState& state, const CallMeaning& meaning) const;
  HostState start(std::uint32_t block) const;
  void pass(std::uint32_t from, std::uint32_t to, HostState& state) const;
  void run_way(const std::vector<std::uint32_t>& way, std::size_t call, HostState& state,
               const CallMeaning& meaning) const;
  void note_calls(std::uint32_t block, int order, const CallMeaning& meaning);
  void note_call(std::uint32_t block, std::size_t call, const CallMeaning& meaning);
  bool collect_ways(std::vector<std::uint32_t>& way, std::size_t call, const CallMeaning& meaning,
                    std::vector<HostState>& found);
  bool is_call(const HostOp& op) const;
  bool comes_back(const HostFunction& function) const;
  bool in_region(Address address) const;
  std::size_t op_at(Address address) const;  // npos where no instruction starts

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  const HostImage& image_;
  const FunctionTable& functions_;
  const CallingConvention& convention_;
  HostDecoder decoder_;
  Bytes decoded_ = 0;

  std::vector<HostFunction> region_;
  std::vector<HostOp> ops_;
  std::vector<std::uint32_t> starts_;   // ops that start instructions, by address
  std::vector<std::uint8_t> leads_;     // per op: whether a block begins, and how it may be entered
  std::vector<Block> blocks_;
  std::vector<HostState> states_;
  bool settled_ = false;                 // states_ hold
  std::vector<std::uint32_t> block_of_;  // per op that leads
};

}  // namespace tilefit
