// SPDX-License-Identifier: Apache-2.0
// Scans for calls. On x86-64 instructions start anywhere, so every byte is tried; the flow through
// the function that holds a hit then decides whether it is one.
#include "tilefit/read/call_sites.h"

#include <algorithm>
#include <cstring>

namespace tilefit {
namespace {

constexpr Bytes kWindow = 4 << 20;

const HostApi* look_up(const std::unordered_map<Address, const HostApi*>& map, Address address) {
  const auto found = map.find(address);
  return found == map.end() ? nullptr : found->second;
}

struct Range {
  Address low = ~Address{0}, high = 0;
  void include(Address a) {
    low = std::min(low, a);
    high = std::max(high, a);
  }
  bool holds(Address a) const { return a >= low && a <= high; }
};

Range range_of(const std::unordered_map<Address, const HostApi*>& map) {
  Range range;
  for (const auto& [address, api] : map) range.include(address);
  return range;
}

Address relative(const std::byte* bytes, Address after) {
  std::int32_t displacement;
  std::memcpy(&displacement, bytes, sizeof displacement);
  return after + static_cast<Address>(std::int64_t{displacement});
}

// E8/E9 rel32, FF 15 / FF 25 disp32: call and jump, direct and through a slot.
void scan_x86(ByteView code, Address address, const HostApiAddresses& apis,
              std::vector<CallSite>& out) {
  const Range targets = range_of(apis.targets), slots = range_of(apis.slots);
  const std::byte* bytes = code.data();
  for (Bytes i = 0; i + 5 <= code.size(); ++i) {
    const auto opcode = static_cast<unsigned>(bytes[i]);
    if ((opcode & 0xfe) == 0xe8) {
      const Address target = relative(bytes + i + 1, address + static_cast<Address>(i) + 5);
      if (!targets.holds(target)) continue;
      if (const HostApi* api = apis.target(target)) {
        out.push_back({.address = address + static_cast<Address>(i), .api = api});
      }
    } else if (opcode == 0xff && i + 6 <= code.size()) {
      const auto form = static_cast<unsigned>(bytes[i + 1]);
      if (form != 0x15 && form != 0x25) continue;
      const Address slot = relative(bytes + i + 2, address + static_cast<Address>(i) + 6);
      if (!slots.holds(slot)) continue;
      if (const HostApi* api = apis.slot(slot)) {
        out.push_back({.address = address + static_cast<Address>(i), .api = api});
      }
    }
  }
}

// b and bl with 26 bits of distance in instructions.
void scan_arm(ByteView code, Address address, const HostApiAddresses& apis,
              std::vector<CallSite>& out) {
  const Range targets = range_of(apis.targets);
  for (Bytes i = 0; i + 4 <= code.size(); i += 4) {
    const auto word = code.number_or_0<std::uint32_t>(i);
    if ((word & 0x7c000000) != 0x14000000) continue;
    std::int64_t distance = word & 0x03ffffff;
    if (distance & 0x02000000) distance -= 0x04000000;
    const Address here = address + static_cast<Address>(i);
    const Address target = here + static_cast<Address>(distance * 4);
    if (!targets.holds(target)) continue;
    if (const HostApi* api = apis.target(target)) out.push_back({.address = here, .api = api});
  }
}

}  // namespace

const HostApi* HostApiAddresses::target(Address address) const { return look_up(targets, address); }
const HostApi* HostApiAddresses::slot(Address address) const { return look_up(slots, address); }

HostApiAddresses find_host_apis(const HostImage& image) {
  HostApiAddresses out;
  for (const BoundSlot& slot : image.slots()) {
    if (const HostApi* api = find_host_api(slot.import)) out.slots.emplace(slot.slot, api);
  }
  for (const HostImage::Linkage& entry : image.linkage()) {
    if (const HostApi* api = out.slot(entry.slot)) out.targets.emplace(entry.entry, api);
  }
  const bool imported = std::any_of(out.slots.begin(), out.slots.end(), [](const auto& slot) {
    return slot.second->effect == HostEffect::registers;
  });
  if (imported) return out;
  // A program with the runtime linked in calls its functions where they lie.
  for (const std::string_view prefix : {"__cuda", "cuda", "cu"}) {
    for (const NamedFunction& function : image.functions(prefix)) {
      if (const HostApi* api = find_host_api(function.name))
        out.targets.emplace(function.address, api);
    }
  }
  return out;
}

void add_host_api(const HostImage& image, Address function, const HostApi& api,
                  HostApiAddresses& out) {
  out.targets.emplace(function, &api);
  for (const BoundSlot& slot : image.slots()) {
    if (slot.target == function) out.slots.emplace(slot.slot, &api);
  }
  for (const HostImage::Linkage& entry : image.linkage()) {
    if (const HostApi* found = out.slot(entry.slot); found == &api)
      out.targets.emplace(entry.entry, found);
  }
}

std::vector<CallSite> find_call_sites(const HostImage& image, const HostApiAddresses& apis,
                                      const std::function<void(ByteView)>& release) {
  std::vector<CallSite> out;
  if (apis.targets.empty() && apis.slots.empty()) return out;
  for (const ElfSection* section : image.code()) {
    const ByteView code = image.elf().data(*section);
    for (Bytes at = 0; at < code.size(); at += kWindow) {
      // Windows overlap by what one instruction can reach over their end.
      const ByteView window = code.clamp(at, kWindow + 5);
      const Address address = section->address + static_cast<Address>(at);
      const std::size_t before = out.size();
      if (image.machine() == kMachineArm)
        scan_arm(code.clamp(at, kWindow), address, apis, out);
      else
        scan_x86(window, address, apis, out);
      std::erase_if(out, [&, i = std::size_t{0}](const CallSite& site) mutable {
        return i++ >= before && site.address >= address + static_cast<Address>(kWindow);
      });
      if (release) release(code.clamp(at, kWindow));
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const CallSite& a, const CallSite& b) { return a.address < b.address; });
  return out;
}

}  // namespace tilefit
