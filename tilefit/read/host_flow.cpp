// SPDX-License-Identifier: Apache-2.0
// Regions, blocks and the fixed point of what is known.
#include "tilefit/read/host_flow.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace tilefit {
namespace {

constexpr Bytes kMaxRegionBytes = 16 << 20;
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxBlocks = 1 << 18;
constexpr Bytes kMaxTableEntries = 1024;
constexpr std::size_t kMaxTableRoots = 512;
// Each block is run again when something on its entry is lost; real functions settle in a few rounds.
constexpr std::size_t kMaxRounds = 64;
constexpr int kMaxWays = 64;              // to one call
constexpr std::size_t kMaxWayBlocks = 4;  // before its block
constexpr std::uint8_t kLeads = 1, kOpen = 2;

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
  if (!decoder_.decode(*code, function.begin, ops_)) return false;
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
  std::stable_sort(ops_.begin(), ops_.end(),
                   [](const HostOp& a, const HostOp& b) { return a.address < b.address; });
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
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const HostOp& op = ops_[i];
    if (op.action != HostAction::set) continue;
    auto address = static_cast<Address>(op.value);
    if (in_region(address)) labels.push_back(address);
    // A page and the offset within it.
    if (i + 1 < ops_.size() && ops_[i + 1].action == HostAction::add && ops_[i + 1].src == op.dst) {
      tables.push_back(address + static_cast<Address>(ops_[i + 1].value));
    }
    tables.push_back(address);
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
      if (const std::size_t op = op_at(target); op != npos) leads_[op] |= kLeads | kOpen;
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
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    for (const std::uint32_t next : blocks_[i].next) blocks_[next].previous.push_back(i);
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

void HostFlow::report_calls(std::uint32_t index, const CallMeaning& meaning) {
  const Block& block = blocks_[index];
  HostState state = states_[block.state];
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (is_call(ops_[i])) {
      const bool single = block.open || block.previous.empty();
      if (!meaning.report(ops_[i], state, single)) {
        std::vector<std::uint32_t> way{index};
        int left = kMaxWays;
        report_ways(way, i, meaning, left);
      }
    }
    run(i, i + 1, state, meaning);
  }
}

// Compilers merge the ends of blocks, so that one call serves several kernels: each way into the
// block is then followed alone, a few blocks back. `way` runs from the call's block backwards.
void HostFlow::report_ways(std::vector<std::uint32_t>& way, std::size_t call, const CallMeaning& meaning,
                           int& left) {
  const std::uint32_t reached = way.back();
  for (const std::uint32_t previous : blocks_[reached].previous) {
    const Block& first = blocks_[previous];
    if (!first.reached()) continue;
    way.push_back(previous);
    HostState state = states_[first.state];
    for (std::size_t step = way.size() - 1; step > 0; --step) {
      run(blocks_[way[step]].begin, blocks_[way[step]].end, state, meaning);
    }
    run(blocks_[way[0]].begin, call, state, meaning);
    const bool end = way.size() > kMaxWayBlocks || first.open || first.previous.empty() || --left <= 0;
    if (!meaning.report(ops_[call], state, end)) report_ways(way, call, meaning, left);
    way.pop_back();
  }
  if (blocks_[reached].begin == op_at(region_[0].begin)) {  // or control came in here
    HostState state = HostState::at_entry(region_[0].entry, convention_);
    for (std::size_t step = way.size() - 1; step > 0; --step) {
      run(blocks_[way[step]].begin, blocks_[way[step]].end, state, meaning);
    }
    run(blocks_[way[0]].begin, call, state, meaning);
    meaning.report(ops_[call], state, true);
  }
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
    for (const std::uint32_t next : blocks_[index].next) enter(next, state);
  }
  return true;
}

bool HostFlow::prepare(const HostFunction& function, const CallMeaning& meaning) {
  if (!gather(function) || !mark_entries()) return false;
  return mark_tables() && build_blocks() && settle(meaning);
}

std::vector<HostFunction> HostFlow::follow(const HostFunction& function, const CallMeaning& meaning) {
  if (!prepare(function, meaning)) return {function};
  for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].reached()) report_calls(i, meaning);
  }
  return region_;
}

}  // namespace tilefit
