// SPDX-License-Identifier: Apache-2.0
// HostFlow: follows values through a function of host code, over all its ways: what is known at a
// call is what holds on every way to it, or way by way where they differ.
#pragma once

#include <functional>
#include <vector>

#include "tilefit/read/host_graph.h"
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
  const HostFunction& current() const { return graph_.region().front(); }
  /// Bytes decoded so far.
  Bytes decoded() const { return graph_.decoded(); }

 private:
  using Way = std::vector<std::uint32_t>;  // blocks, from the call's own backwards

  bool settle(const CallMeaning& meaning);
  bool reached(std::uint32_t block) const { return !settled_ || state_of_[block] != kUnreached; }
  void run(std::size_t begin, std::size_t end, HostState& state, const CallMeaning& meaning) const;
  void run_way(const Way& way, std::size_t call, HostState& state,
               const CallMeaning& meaning) const;
  void pass(std::uint32_t from, std::uint32_t to, HostState& state) const;
  HostState start(std::uint32_t block) const;
  void note_calls(std::uint32_t block, int order, const CallMeaning& meaning);
  void note_call(std::uint32_t block, std::size_t call, const CallMeaning& meaning);
  bool collect_ways(Way& way, std::size_t call, const CallMeaning& meaning,
                    std::vector<HostState>& found);

  static constexpr std::uint32_t kUnreached = 0xffffffff;

  const HostImage& image_;
  const CallingConvention& convention_;
  HostGraph graph_;
  std::vector<HostState> states_;        // what is known on entry to blocks
  std::vector<std::uint32_t> state_of_;  // per block: which of them
  bool settled_ = false;                 // states_ hold
};

}  // namespace tilefit
