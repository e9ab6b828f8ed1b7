// SPDX-License-Identifier: Apache-2.0
// The fixed point of what is known, and the ways to a call one by one.
#include "tilefit/read/host_flow.h"

#include <deque>

namespace tilefit {
namespace {

// Each block is run again when something on its entry is lost; real functions settle in a few
// rounds.
constexpr std::size_t kMaxRounds = 64;
constexpr std::size_t kMaxWays = 64;      // to one call
constexpr std::size_t kMaxWayBlocks = 4;  // before its block

}  // namespace

HostFlow::HostFlow(const HostImage& image, const FunctionTable& functions)
    : image_(image), convention_(calling_convention(image.machine())), graph_(image, functions) {}

void HostFlow::run(std::size_t begin, std::size_t end, HostState& state,
                   const CallMeaning& meaning) const {
  for (std::size_t i = begin; i < end; ++i) {
    const HostOp& op = graph_.ops()[i];
    // A jump that leaves changes nothing for those who stay.
    if (op.action == HostAction::call)
      meaning.effect(op, state);
    else
      state.apply(op, image_, convention_);
  }
}

// A branch on zero tells something on one of its two ways.
void HostFlow::pass(std::uint32_t from, std::uint32_t to, HostState& state) const {
  const HostOp& last = graph_.ops()[graph_.blocks()[from].end - 1];
  if (last.action != HostAction::branch || last.src == kNoRegister || last.extra == 0) return;
  const Address target = graph_.ops()[graph_.blocks()[to].begin].address;
  const bool taken = target == static_cast<Address>(last.value);
  const bool falls = target == last.address + last.length;
  if (taken == falls || taken != (last.extra == kZeroWhenTaken)) return;
  state.assume(last.src, {ValueKind::constant, 0, 0});
}

void HostFlow::run_way(const Way& way, std::size_t call, HostState& state,
                       const CallMeaning& meaning) const {
  for (std::size_t step = way.size() - 1; step > 0; --step) {
    const HostBlock& block = graph_.blocks()[way[step]];
    run(block.begin, block.end, state, meaning);
    pass(way[step], way[step - 1], state);
  }
  run(graph_.blocks()[way[0]].begin, call, state, meaning);
}

// What is known where a block begins: all that holds on every way to it once that was worked out,
// before that nothing but the places of the frame relative to each other.
HostState HostFlow::start(std::uint32_t index) const {
  if (settled_ && state_of_[index] != kUnreached) return states_[state_of_[index]];
  const bool entry = index == graph_.entry() && graph_.blocks()[index].previous.empty();
  return HostState::at_entry(entry && current().entry, convention_);
}

// Compilers merge the ends of blocks, so that one call serves several kernels: where a block alone
// does not tell, each way into it is followed, a few blocks back. Adds what is known at the call
// for each way; false if that is not enough on one of them.
bool HostFlow::collect_ways(Way& way, std::size_t call, const CallMeaning& meaning,
                            std::vector<HostState>& found) {
  HostState state = start(way.back());
  run_way(way, call, state, meaning);
  const HostBlock& first = graph_.blocks()[way.back()];
  const bool known = meaning.enough(graph_.ops()[call], state);
  const bool end = first.open || first.previous.empty() || way.size() > kMaxWayBlocks ||
                   found.size() >= kMaxWays;
  if (known || end) {
    found.push_back(std::move(state));
    return known;
  }
  bool all = true;
  if (way.back() == graph_.entry()) {  // control also comes in here
    HostState entry = HostState::at_entry(current().entry, convention_);
    run_way(way, call, entry, meaning);
    all = meaning.enough(graph_.ops()[call], entry);
    found.push_back(std::move(entry));
  }
  for (const std::uint32_t previous : first.previous) {
    if (!reached(previous)) continue;
    way.push_back(previous);
    all = collect_ways(way, call, meaning, found) && all;
    way.pop_back();
  }
  return all;
}

void HostFlow::note_call(std::uint32_t block, std::size_t call, const CallMeaning& meaning) {
  Way way{block};
  std::vector<HostState> found;
  const bool all = collect_ways(way, call, meaning, found);
  if (!all && !settled_ && settle(meaning)) {
    found.clear();
    collect_ways(way, call, meaning, found);
  }
  for (const HostState& state : found) meaning.note(graph_.ops()[call], state);
}

// The usual worklist: a block whose entry lost something is run again.
bool HostFlow::settle(const CallMeaning& meaning) {
  const std::vector<HostBlock>& blocks = graph_.blocks();
  states_.clear();
  state_of_.assign(blocks.size(), kUnreached);
  std::deque<std::uint32_t> work;
  std::size_t budget = kMaxRounds * blocks.size() + 64;
  const auto enter = [&](std::uint32_t index, const HostState& state) {
    if (state_of_[index] == kUnreached) {
      state_of_[index] = static_cast<std::uint32_t>(states_.size());
      states_.push_back(blocks[index].open ? HostState::nothing() : state);
      work.push_back(index);
    } else if (!blocks[index].open && states_[state_of_[index]].meet(state)) {
      work.push_back(index);
    }
  };
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].open) enter(i, HostState::nothing());
  }
  enter(graph_.entry(), HostState::at_entry(current().entry, convention_));
  while (!work.empty()) {
    if (budget-- == 0) return false;
    const std::uint32_t index = work.front();
    work.pop_front();
    HostState state = states_[state_of_[index]];
    run(blocks[index].begin, blocks[index].end, state, meaning);
    for (const std::uint32_t next : blocks[index].next) {
      HostState passed = state;
      pass(index, next, passed);
      enter(next, passed);
    }
  }
  return settled_ = true;
}

// The calls of one order in a block. Most find all they need in it, so one run serves them.
void HostFlow::note_calls(std::uint32_t index, int order, const CallMeaning& meaning) {
  const HostBlock& block = graph_.blocks()[index];
  const auto wanted = [&](std::size_t i) {
    const HostOp& op = graph_.ops()[i];
    return graph_.is_call(op) && meaning.matters(op) == order;
  };
  std::size_t last = block.begin;
  for (std::size_t i = last; i < block.end; ++i) {
    if (wanted(i)) last = i + 1;
  }
  if (last == block.begin) return;
  HostState state = start(index);
  for (std::size_t i = block.begin; i < last; ++i) {
    if (wanted(i)) {
      if (meaning.enough(graph_.ops()[i], state))
        meaning.note(graph_.ops()[i], state);
      else
        note_call(index, i, meaning);
    }
    run(i, i + 1, state, meaning);
  }
}

std::vector<HostFunction> HostFlow::follow(const HostFunction& function,
                                           const CallMeaning& meaning) {
  settled_ = false;
  if (!graph_.build(function)) return {function};
  for (const int order : {1, 2}) {
    for (std::uint32_t block = 0; block < graph_.blocks().size(); ++block)
      note_calls(block, order, meaning);
  }
  return graph_.region();
}

}  // namespace tilefit
