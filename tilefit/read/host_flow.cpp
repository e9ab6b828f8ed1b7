// SPDX-License-Identifier: Apache-2.0
// Regions, blocks and the fixed point of what is known.
#include "tilefit/read/host_flow.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>

namespace tilefit {
namespace {

constexpr Bytes kMaxRegionBytes = 16 << 20;
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxBlocks = 1 << 18;
constexpr Bytes kMaxTableEntries = 1024;
constexpr std::size_t kMaxTableRoots = 512;
constexpr std::size_t kMaxTableWays = 1 << 16;
// Each block is run again when something on its entry is lost; real functions settle in a few rounds.
constexpr std::size_t kMaxRounds = 64;
constexpr std::size_t kMaxWays = 64;      // to one call
constexpr std::size_t kMaxWayBlocks = 4;  // before its block
constexpr std::uint8_t kLeads = 1, kOpen = 2, kTabled = 4;

bool transfers(const HostOp& op) {
  return op.action == HostAction::jump || op.action == HostAction::branch ||
         op.action == HostAction::jump_computed || op.action == HostAction::leave;
}

bool has_target(const HostOp& op) {
  return op.action == HostAction::jump || op.action == HostAction::branch;
}

Address plus(Address base, std::int64_t distance) { return base + static_cast<Address>(distance); }

// E9 rel32 and 0F 8x rel32: jumps that reach beyond a function.
std::optional<Address> jump_target_x86(ByteView code, Bytes at, Address begin) {
  const auto opcode = code.number_or_0<std::uint8_t>(at);
  const bool conditional = opcode == 0x0f && (code.number_or_0<std::uint8_t>(at + 1) & 0xf0) == 0x80;
  if (opcode != 0xe9 && !conditional) return std::nullopt;
  const Bytes operand = at + (conditional ? 2 : 1);
  return plus(begin, operand + 4 + code.number_or_0<std::int32_t>(operand));
}

// b, b.cond, cbz and cbnz; tbz and tbnz reach 32 KiB.
std::optional<Address> jump_target_arm(ByteView code, Bytes at, Address begin) {
  const auto word = code.number_or_0<std::uint32_t>(at);
  const auto field = [&](int left, int right) {
    return std::int64_t{static_cast<std::int32_t>(word << left) >> right} * 4;
  };
  if ((word & 0xfc000000) == 0x14000000) return plus(begin, at + field(6, 6));
  if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000) return plus(begin, at + field(8, 13));
  if ((word & 0x7e000000) == 0x36000000) return plus(begin, at + field(13, 18));
  return std::nullopt;
}

}  // namespace

HostFlow::HostFlow(const HostImage& image, const FunctionTable& functions)
    : image_(image), functions_(functions), convention_(calling_convention(image.machine())),
      decoder_(image.machine()) {}

bool HostFlow::in_region(Address address) const {
  return std::any_of(region_.begin(), region_.end(), [&](const HostFunction& part) {
    return address >= part.begin && address < part.end;
  });
}

std::size_t HostFlow::op_at(Address address) const {
  auto found = std::lower_bound(starts_.begin(), starts_.end(), address,
                                [&](std::uint32_t i, Address a) { return ops_[i].address < a; });
  return found != starts_.end() && ops_[*found].address == address ? *found : npos;
}

bool HostFlow::take(const HostFunction& function) {
  const Bytes bytes = as_bytes(function.end - function.begin);
  const auto code = image_.at(function.begin).slice(0, bytes);
  if (!code || bytes <= 0 || region_.size() >= kMaxParts) return false;
  Bytes all = bytes;
  for (const HostFunction& part : region_) all += as_bytes(part.end - part.begin);
  if (all > kMaxRegionBytes) return false;
  decoded_ += bytes;
  const std::size_t first = ops_.size();
  if (!decoder_.decode(*code, function.begin, ops_)) return false;
  for (std::size_t i = first; i < ops_.size(); ++i) {
    HostOp& op = ops_[i];
    if (op.action != HostAction::call) continue;
    if (image_.never_returns(static_cast<Address>(op.through_slot ? op.extra : op.value))) {
      op.action = HostAction::leave;
    }
  }
  region_.push_back(function);
  return true;
}

// Whether some jump with a full distance in `function` leads into the region. Instructions are not
// told apart from what looks like one: that only takes in a function too many.
bool HostFlow::comes_back(const HostFunction& function) const {
  const auto code = image_.at(function.begin).slice(0, as_bytes(function.end - function.begin));
  if (!code) return true;
  const bool arm = image_.machine() == kMachineArm;
  for (Bytes i = 0; i < code->size(); i += arm ? 4 : 1) {
    const auto target = arm ? jump_target_arm(*code, i, function.begin) : jump_target_x86(*code, i, function.begin);
    if (target && in_region(*target)) return true;
  }
  return false;
}

// Parts that the compiler split off are functions of their own to the unwinder. A part belongs here
// if control goes to its middle, or may come back from it.
bool HostFlow::take_neighbours() {
  std::vector<Address> strangers;
  for (std::size_t seen = 0; seen < ops_.size(); ++seen) {
    const HostOp op = ops_[seen];
    if (!has_target(op)) continue;
    const auto target = static_cast<Address>(op.value);
    if (in_region(target) || std::find(strangers.begin(), strangers.end(), target) != strangers.end()) {
      continue;
    }
    const auto other = functions_.find(target);
    if (!other) continue;  // a linkage table entry, or a function without unwinding
    if (target == other->begin && !comes_back(*other)) strangers.push_back(target);
    else if (!take(*other)) return false;
  }
  return true;
}

bool HostFlow::gather(const HostFunction& function) {
  region_.clear();
  ops_.clear();
  starts_.clear();
  if (!take(function) || !take_neighbours()) return false;
  if (region_.size() > 1) {
    std::stable_sort(ops_.begin(), ops_.end(),
                     [](const HostOp& a, const HostOp& b) { return a.address < b.address; });
  }
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (ops_[i].starts) starts_.push_back(static_cast<std::uint32_t>(i));
  }
  leads_.assign(ops_.size(), 0);
  return !ops_.empty();
}

// Where control may come in: entries of all parts, landing pads, and what jump tables may hold.
bool HostFlow::mark_entries() {
  for (std::size_t part = 0; part < region_.size(); ++part) {
    const std::size_t entry = op_at(region_[part].begin);
    if (entry == npos) return false;
    leads_[entry] |= kLeads | (part == 0 ? 0 : kOpen);
    const auto pads = functions_.landing_pads(region_[part]);
    if (!pads) return false;
    for (const Address pad : *pads) {
      const std::size_t op = op_at(pad);
      if (op == npos) {
        if (in_region(pad)) return false;
        continue;  // lands in another function's code and can only come back through a jump
      }
      leads_[op] |= kLeads | kOpen;
    }
  }
  return true;
}

// Any constant address that the code forms may be a jump table. Taking something for one that is
// none only loses knowledge.
bool HostFlow::mark_tables() {
  const bool computed = std::any_of(ops_.begin(), ops_.end(), [](const HostOp& op) {
    return op.action == HostAction::jump_computed && !op.through_slot;
  });
  if (!computed) return true;
  std::vector<Address> tables, labels;
  std::array<Address, kRegisterCount> formed{};  // aarch64 forms a page, then adds the offset in it
  for (const HostOp& op : ops_) {
    const auto address = static_cast<Address>(op.value);
    if (op.action == HostAction::set && op.dst < kRegisterCount) {
      tables.push_back(address);
      if (in_region(address)) labels.push_back(address);
      formed[op.dst] = address;
    } else if (op.action == HostAction::add && op.value != 0 && op.src < kRegisterCount) {
      tables.push_back(formed[op.src] + address);
    } else if (op.action == HostAction::jump_computed && !op.through_slot && op.extra != 0) {
      tables.push_back(static_cast<Address>(op.extra));
    }
  }
  std::erase_if(tables, [&](Address a) { return image_.at(a).empty(); });
  for (std::vector<Address>* list : {&tables, &labels}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
    if (list->size() > kMaxTableRoots) return false;
  }
  for (const Address table : tables) {
    // Offsets from the table, or addresses.
    if (!mark_table(table, table, 4, 1) || !mark_table(table, 0, 8, 1)) return false;
    if (image_.machine() != kMachineArm) continue;
    for (const Address label : labels) {  // offsets in instructions from a label
      for (const int width : {1, 2, 4}) {
        if (!mark_table(table, label, width, 4)) return false;
      }
    }
  }
  return true;
}

// A table ends where an entry leads out of the function, unless to a part that was split off. If such
// a part comes back we would have to follow it too: false.
bool HostFlow::mark_table(Address table, Address base, int width, int scale) {
  const ByteView view = image_.at(table);
  for (Bytes i = 0; i < kMaxTableEntries && view.holds(i * width, width); ++i) {
    std::int64_t entry = 0;
    switch (width) {
      case 1: entry = view.number_or_0<std::uint8_t>(i); break;
      case 2: entry = view.number_or_0<std::uint16_t>(i * 2); break;
      case 4: entry = view.number_or_0<std::int32_t>(i * 4); break;
      default: {
        const BoundSlot* slot = image_.bound(table + static_cast<Address>(i * 8));
        entry = slot != nullptr ? static_cast<std::int64_t>(slot->target) : view.number_or_0<std::int64_t>(i * 8);
      }
    }
    // Narrow entries are read as signed by some compilers, as unsigned by others.
    const std::int64_t other = width < 4 && entry >> (8 * width - 1) != 0 ? entry - (1 << (8 * width)) : entry;
    bool inside = false;
    for (const std::int64_t offset : {entry, other}) {
      const Address target = base + static_cast<Address>(offset) * static_cast<Address>(scale);
      if (!in_region(target)) continue;
      inside = true;
      if (const std::size_t op = op_at(target); op != npos) leads_[op] |= kLeads | kTabled;
    }
    if (inside) continue;
    const auto outside = functions_.find(base + static_cast<Address>(entry) * static_cast<Address>(scale));
    if (i == 0 || !outside || outside->entry) return true;
    if (comes_back(*outside)) return false;
  }
  return true;
}

bool HostFlow::build_blocks() {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const HostOp& op = ops_[i];
    if (has_target(op) && in_region(static_cast<Address>(op.value))) {
      const std::size_t target = op_at(static_cast<Address>(op.value));
      if (target == npos) return false;  // into the middle of an instruction: not code as we read it
      leads_[target] |= kLeads;
    }
    if (transfers(op) && i + 1 < ops_.size()) leads_[i + 1] |= kLeads;
    const bool gap = i + 1 < ops_.size() && ops_[i + 1].starts &&
                     ops_[i + 1].address != op.address + op.length;
    if (gap) leads_[i + 1] |= kLeads;
  }
  blocks_.clear();
  block_of_.assign(ops_.size(), 0);
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (i != 0 && (leads_[i] & kLeads) == 0) continue;
    if (!blocks_.empty()) blocks_.back().end = i;
    if (blocks_.size() >= kMaxBlocks) return false;
    block_of_[i] = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({.begin = i, .end = ops_.size(), .next = {}, .previous = {}, .open = (leads_[i] & kOpen) != 0});
  }
  for (Block& block : blocks_) {
    const HostOp& last = ops_[block.end - 1];
    if (has_target(last) && in_region(static_cast<Address>(last.value))) {
      block.next.push_back(block_of_[op_at(static_cast<Address>(last.value))]);
    }
    const bool falls = last.action == HostAction::branch || !transfers(last);
    if (falls && block.end < ops_.size() && ops_[block.end].address == last.address + last.length) {
      block.next.push_back(block_of_[block.end]);
    }
  }
  if (!join_tables()) return false;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    for (const std::uint32_t next : blocks_[i].next) blocks_[next].previous.push_back(i);
  }
  return true;
}

// Which computed jump reads which table is not told apart: each may lead to all that tables name.
bool HostFlow::join_tables() {
  std::vector<std::uint32_t> jumps, targets;
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    const HostOp& last = ops_[blocks_[i].end - 1];
    if (last.action == HostAction::jump_computed && !last.through_slot) jumps.push_back(i);
    if ((leads_[blocks_[i].begin] & kTabled) != 0) targets.push_back(i);
  }
  if (jumps.size() * targets.size() > kMaxTableWays) return false;
  for (const std::uint32_t jump : jumps) {
    blocks_[jump].next.insert(blocks_[jump].next.end(), targets.begin(), targets.end());
  }
  return true;
}

bool HostFlow::is_call(const HostOp& op) const {
  return op.action == HostAction::call || op.action == HostAction::jump_computed ||
         (has_target(op) && !in_region(static_cast<Address>(op.value)));
}

void HostFlow::run(std::size_t begin, std::size_t end, HostState& state, const CallMeaning& meaning) const {
  for (std::size_t i = begin; i < end; ++i) {
    // A jump that leaves changes nothing for those who stay.
    if (ops_[i].action == HostAction::call) meaning.effect(ops_[i], state);
    else state.apply(ops_[i], image_, convention_);
  }
}

// A branch on zero tells something on one of its two ways.
void HostFlow::pass(std::uint32_t from, std::uint32_t to, HostState& state) const {
  const HostOp& last = ops_[blocks_[from].end - 1];
  if (last.action != HostAction::branch || last.src == kNoRegister || last.extra == 0) return;
  const bool taken = ops_[blocks_[to].begin].address == static_cast<Address>(last.value);
  const bool falls = ops_[blocks_[to].begin].address == last.address + last.length;
  if (taken == falls || taken != (last.extra == kZeroWhenTaken)) return;
  state.assume(last.src, {ValueKind::constant, 0, 0});
}

void HostFlow::run_way(const std::vector<std::uint32_t>& way, std::size_t call, HostState& state,
                       const CallMeaning& meaning) const {
  for (std::size_t step = way.size() - 1; step > 0; --step) {
    run(blocks_[way[step]].begin, blocks_[way[step]].end, state, meaning);
    pass(way[step], way[step - 1], state);
  }
  run(blocks_[way[0]].begin, call, state, meaning);
}

// What is known where a block begins: all that holds on every way to it once that was worked out,
// before that nothing but the places of the frame relative to each other.
HostState HostFlow::start(std::uint32_t index) const {
  const Block& block = blocks_[index];
  if (settled_ && block.reached()) return states_[block.state];
  const bool entry = block.begin == op_at(region_[0].begin) && block.previous.empty();
  return HostState::at_entry(entry && region_[0].entry, convention_);
}

// Compilers merge the ends of blocks, so that one call serves several kernels: where a block alone
// does not tell, each way into it is followed, a few blocks back. `way` runs from the call's block
// backwards. Adds what is known at the call for each way; false if that is not enough on one of them.
bool HostFlow::collect_ways(std::vector<std::uint32_t>& way, std::size_t call, const CallMeaning& meaning,
                            std::vector<HostState>& found) {
  HostState state = start(way.back());
  run_way(way, call, state, meaning);
  const Block& first = blocks_[way.back()];
  const bool known = meaning.enough(ops_[call], state);
  const bool end = first.open || first.previous.empty() || way.size() > kMaxWayBlocks || found.size() >= kMaxWays;
  if (known || end) {
    found.push_back(std::move(state));
    return known;
  }
  bool all = true;
  const std::uint32_t reached = way.back();
  if (first.begin == op_at(region_[0].begin)) {  // control also comes in here
    HostState entry = HostState::at_entry(region_[0].entry, convention_);
    run_way(way, call, entry, meaning);
    all = meaning.enough(ops_[call], entry);
    found.push_back(std::move(entry));
  }
  for (const std::uint32_t previous : blocks_[reached].previous) {
    if (settled_ && !blocks_[previous].reached()) continue;
    way.push_back(previous);
    all = collect_ways(way, call, meaning, found) && all;
    way.pop_back();
  }
  return all;
}

void HostFlow::note_call(std::uint32_t block, std::size_t call, const CallMeaning& meaning) {
  std::vector<std::uint32_t> way{block};
  std::vector<HostState> found;
  bool all = collect_ways(way, call, meaning, found);
  if (!all && !settled_ && settle(meaning)) {
    found.clear();
    collect_ways(way, call, meaning, found);
  }
  for (const HostState& state : found) meaning.note(ops_[call], state);
}

// The usual worklist: a block whose entry lost something is run again.
bool HostFlow::settle(const CallMeaning& meaning) {
  states_.clear();
  std::deque<std::uint32_t> work;
  std::size_t budget = kMaxRounds * blocks_.size() + 64;
  const auto enter = [&](std::uint32_t index, const HostState& state) {
    Block& block = blocks_[index];
    if (!block.reached()) {
      block.state = static_cast<std::uint32_t>(states_.size());
      states_.push_back(block.open ? HostState::nothing() : state);
      work.push_back(index);
    } else if (!block.open && states_[block.state].meet(state)) {
      work.push_back(index);
    }
  };
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].open) enter(i, HostState::nothing());
  }
  enter(block_of_[op_at(region_[0].begin)], HostState::at_entry(region_[0].entry, convention_));
  while (!work.empty()) {
    if (budget-- == 0) return false;
    const std::uint32_t index = work.front();
    work.pop_front();
    HostState state = states_[blocks_[index].state];
    run(blocks_[index].begin, blocks_[index].end, state, meaning);
    for (const std::uint32_t next : blocks_[index].next) {
      HostState passed = state;
      pass(index, next, passed);
      enter(next, passed);
    }
  }
  return settled_ = true;
}

bool HostFlow::prepare(const HostFunction& function) {
  settled_ = false;
  return gather(function) && mark_entries() && mark_tables() && build_blocks();
}

// The calls of one order in a block. Most find all they need in it, so one run serves them.
void HostFlow::note_calls(std::uint32_t block, int order, const CallMeaning& meaning) {
  const auto wanted = [&](std::size_t i) { return is_call(ops_[i]) && meaning.matters(ops_[i]) == order; };
  std::size_t last = blocks_[block].begin;
  for (std::size_t i = last; i < blocks_[block].end; ++i) {
    if (wanted(i)) last = i + 1;
  }
  if (last == blocks_[block].begin) return;
  HostState state = start(block);
  for (std::size_t i = blocks_[block].begin; i < last; ++i) {
    if (wanted(i)) {
      if (meaning.enough(ops_[i], state)) meaning.note(ops_[i], state);
      else note_call(block, i, meaning);
    }
    run(i, i + 1, state, meaning);
  }
}

std::vector<HostFunction> HostFlow::follow(const HostFunction& function, const CallMeaning& meaning) {
  if (!prepare(function)) return {function};
  for (const int order : {1, 2}) {
    for (std::uint32_t block = 0; block < blocks_.size(); ++block) note_calls(block, order, meaning);
  }
  return region_;
}

}  // namespace tilefit
