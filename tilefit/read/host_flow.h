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

/// What calls (and jumps out of the function) mean. `effect` makes of what is known before one what
/// is known after it; `report` sees what is known before it, once all is settled.
struct CallMeaning {
  std::function<void(const HostOp& call, HostState& state)> effect;
  /// False: not enough is known, show it the ways to the call one by one. `last`: there are no more.
  std::function<bool(const HostOp& call, const HostState& state, bool last)> report;
};

class HostFlow {
 public:
  HostFlow(const HostImage& image, const FunctionTable& functions);

  /// Follows `function`; its calls are reported, in order of address, or none of them if it cannot be
  /// followed. Returns the code that this settles.
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
  bool prepare(const HostFunction& function, const CallMeaning& meaning);
  bool take(const HostFunction& function);
  bool take_neighbours();
  bool mark_entries();
  bool mark_tables();
  bool mark_table(Address table, Address base, int width, int scale);
  bool build_blocks();
  bool settle(const CallMeaning& meaning);
  void run(std::size_t begin, std::size_t end, HostState& state, const CallMeaning& meaning) const;
  void report_calls(std::uint32_t index, const CallMeaning& meaning);
  void report_ways(std::vector<std::uint32_t>& way, std::size_t call, const CallMeaning& meaning, int& left);
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
  std::vector<std::uint8_t> leads_;     // per op: 1 = a block begins, 2 = and control may enter unseen
  std::vector<Block> blocks_;
  std::vector<HostState> states_;
  std::vector<std::uint32_t> block_of_;  // per op that leads
};

}  // namespace tilefit
