// SPDX-License-Identifier: Apache-2.0
// Regions and blocks of host code.
#include "tilefit/read/host_graph.h"

#include <algorithm>
#include <optional>

#include "tilefit/read/host_leads.h"

namespace tilefit {
namespace {

constexpr Bytes kMaxRegionBytes = 16 << 20;
constexpr std::size_t kMaxParts = 64;
constexpr std::size_t kMaxBlocks = 1 << 18;

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
  const bool conditional =
      opcode == 0x0f && (code.number_or_0<std::uint8_t>(at + 1) & 0xf0) == 0x80;
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
  if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
    return plus(begin, at + field(8, 13));
  if ((word & 0x7e000000) == 0x36000000) return plus(begin, at + field(13, 18));
  return std::nullopt;
}

}  // namespace

HostGraph::HostGraph(const HostImage& image, const FunctionTable& functions)
    : image_(image), functions_(functions), decoder_(image.machine()) {}

bool HostGraph::in_region(Address address) const {
  return std::any_of(region_.begin(), region_.end(), [&](const HostFunction& part) {
    return address >= part.begin && address < part.end;
  });
}

std::size_t HostGraph::op_at(Address address) const {
  auto found = std::lower_bound(starts_.begin(), starts_.end(), address,
                                [&](std::uint32_t i, Address a) { return ops_[i].address < a; });
  return found != starts_.end() && ops_[*found].address == address ? *found : npos;
}

bool HostGraph::take(const HostFunction& function) {
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
bool HostGraph::comes_back(const HostFunction& function) const {
  const auto code = image_.at(function.begin).slice(0, as_bytes(function.end - function.begin));
  if (!code) return true;
  const bool arm = image_.machine() == kMachineArm;
  for (Bytes i = 0; i < code->size(); i += arm ? 4 : 1) {
    const auto target =
        arm ? jump_target_arm(*code, i, function.begin) : jump_target_x86(*code, i, function.begin);
    if (target && in_region(*target)) return true;
  }
  return false;
}

// Parts that the compiler split off are functions of their own to the unwinder. A part belongs here
// if control goes to its middle, or may come back from it.
bool HostGraph::take_neighbours() {
  std::vector<Address> strangers;
  for (std::size_t seen = 0; seen < ops_.size(); ++seen) {
    const HostOp op = ops_[seen];
    if (!has_target(op)) continue;
    const auto target = static_cast<Address>(op.value);
    if (in_region(target) ||
        std::find(strangers.begin(), strangers.end(), target) != strangers.end()) {
      continue;
    }
    const auto other = functions_.find(target);
    if (!other) continue;  // a linkage table entry, or a function without unwinding
    if (target == other->begin && !comes_back(*other))
      strangers.push_back(target);
    else if (!take(*other))
      return false;
  }
  return true;
}

bool HostGraph::gather(const HostFunction& function) {
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
bool HostGraph::mark_entries() {
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

bool HostGraph::mark_blocks() {
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const HostOp& op = ops_[i];
    if (has_target(op) && in_region(static_cast<Address>(op.value))) {
      const std::size_t target = op_at(static_cast<Address>(op.value));
      if (target == npos)
        return false;  // into the middle of an instruction: not code as we read it
      leads_[target] |= kLeads;
    }
    if (i + 1 == ops_.size()) break;
    const bool gap = ops_[i + 1].starts && ops_[i + 1].address != op.address + op.length;
    if (transfers(op) || gap) leads_[i + 1] |= kLeads;
  }
  return true;
}

bool HostGraph::build_blocks() {
  blocks_.clear();
  block_of_.assign(ops_.size(), 0);
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    if (i != 0 && (leads_[i] & kLeads) == 0) continue;
    if (!blocks_.empty()) blocks_.back().end = i;
    if (blocks_.size() >= kMaxBlocks) return false;
    block_of_[i] = static_cast<std::uint32_t>(blocks_.size());
    HostBlock block;
    block.begin = i;
    block.end = ops_.size();
    block.open = (leads_[i] & kOpen) != 0;
    blocks_.push_back(std::move(block));
  }
  for (HostBlock& block : blocks_) {
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
  entry_ = block_of_[op_at(region_[0].begin)];
  return true;
}

bool HostGraph::is_call(const HostOp& op) const {
  return op.action == HostAction::call || op.action == HostAction::jump_computed ||
         (has_target(op) && !in_region(static_cast<Address>(op.value)));
}

bool HostGraph::build(const HostFunction& function) {
  return gather(function) && mark_entries() && mark_tables() && mark_blocks() && build_blocks();
}

}  // namespace tilefit
