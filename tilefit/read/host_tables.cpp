// SPDX-License-Identifier: Apache-2.0
// Jump tables: where the computed jumps of a function may go.
#include <algorithm>
#include <array>

#include "tilefit/read/host_graph.h"
#include "tilefit/read/host_leads.h"

namespace tilefit {
namespace {

constexpr Bytes kMaxTableEntries = 1024;
constexpr std::size_t kMaxTableRoots = 512;
constexpr std::size_t kMaxTableWays = 1 << 16;

}  // namespace

// Any constant address that the code forms may be a jump table. Taking something for one that is
// none only loses knowledge.
bool HostGraph::mark_tables() {
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

// A table ends where an entry leads out of the function, unless to a part that was split off. If
// such a part comes back we would have to follow it too: false.
bool HostGraph::mark_table(Address table, Address base, int width, int scale) {
  const ByteView view = image_.at(table);
  for (Bytes i = 0; i < kMaxTableEntries && view.holds(i * width, width); ++i) {
    std::int64_t entry = 0;
    switch (width) {
      case 1:
        entry = view.number_or_0<std::uint8_t>(i);
        break;
      case 2:
        entry = view.number_or_0<std::uint16_t>(i * 2);
        break;
      case 4:
        entry = view.number_or_0<std::int32_t>(i * 4);
        break;
      default: {
        const BoundSlot* slot = image_.bound(table + static_cast<Address>(i * 8));
        entry = slot != nullptr ? static_cast<std::int64_t>(slot->target)
                                : view.number_or_0<std::int64_t>(i * 8);
      }
    }
    // Narrow entries are read as signed by some compilers, as unsigned by others.
    const std::int64_t other =
        width < 4 && entry >> (8 * width - 1) != 0 ? entry - (1 << (8 * width)) : entry;
    bool inside = false;
    for (const std::int64_t offset : {entry, other}) {
      const Address target = base + static_cast<Address>(offset) * static_cast<Address>(scale);
      if (!in_region(target)) continue;
      inside = true;
      if (const std::size_t op = op_at(target); op != npos) leads_[op] |= kLeads | kTabled;
    }
    if (inside) continue;
    const auto outside =
        functions_.find(base + static_cast<Address>(entry) * static_cast<Address>(scale));
    if (i == 0 || !outside || outside->entry) return true;
    if (comes_back(*outside)) return false;
  }
  return true;
}

// Which computed jump reads which table is not told apart: each may lead to all that tables name.
bool HostGraph::join_tables() {
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

}  // namespace tilefit
