// SPDX-License-Identifier: Apache-2.0
// Sections by address, relocations, and linkage tables of a host ELF file.
#include "tilefit/read/host_image.h"

#include <algorithm>
#include <array>

namespace tilefit {
namespace {

constexpr std::uint64_t kWritable = 1, kAllocated = 2, kExecutable = 4;
constexpr std::uint32_t kSectionProgram = 1, kSectionDynamicSymbols = 11, kSectionRelr = 19;
constexpr Bytes kRelaSize = 24;

enum class Relocation : std::uint8_t { relative, symbol };

struct RelocationRow {
  std::uint16_t machine;
  std::uint32_t type;
  Relocation what;
};

constexpr std::array kRelocations{
    RelocationRow{kMachineX86, 1, Relocation::symbol},       // R_X86_64_64
    RelocationRow{kMachineX86, 6, Relocation::symbol},       // R_X86_64_GLOB_DAT
    RelocationRow{kMachineX86, 7, Relocation::symbol},       // R_X86_64_JUMP_SLOT
    RelocationRow{kMachineX86, 8, Relocation::relative},     // R_X86_64_RELATIVE
    RelocationRow{kMachineArm, 257, Relocation::symbol},     // R_AARCH64_ABS64
    RelocationRow{kMachineArm, 1025, Relocation::symbol},    // R_AARCH64_GLOB_DAT
    RelocationRow{kMachineArm, 1026, Relocation::symbol},    // R_AARCH64_JUMP_SLOT
    RelocationRow{kMachineArm, 1027, Relocation::relative},  // R_AARCH64_RELATIVE
};

// Sections that the loader fills and then write-protects, or that only it writes to.
bool is_bound_section(const ElfSection& section) {
  return (section.flags & kWritable) == 0 || section.name == ".got" || section.name == ".got.plt" ||
         section.name.starts_with(".data.rel.ro");
}

// Imports that never return to their caller, by the start of their names.
constexpr std::array<std::string_view, 17> kNeverReturn{
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_bad_",
    "__cxa_call_unexpected",
    "_Unwind_Resume",
    "__stack_chk_fail",
    "__assert_fail",
    "abort",
    "exit",
    "_exit",
    "_ZSt9terminatev",
    "_ZSt10unexpectedv",
    "__clang_call_terminate",
    "_ZN3c106detail14torchCheckFail",
    "_ZN3c106detail23torchInternalAssertFail",
    "__chk_fail",
    "__fortify_fail",
};

bool never_returns(std::string_view import) {
  if (import.starts_with("_ZSt") && import.find("__throw_") != std::string_view::npos) return true;
  const std::string_view name = import.substr(0, import.find('@'));
  return std::any_of(kNeverReturn.begin(), kNeverReturn.end(), [&](std::string_view row) {
    return row.starts_with("_") ? name.starts_with(row) : name == row;
  });
}

bool by_slot(const BoundSlot& a, const BoundSlot& b) { return a.slot < b.slot; }

}  // namespace

HostImage::HostImage(const Elf& elf) : elf_(&elf) {
  for (const ElfSection& section : elf.sections) {
    if ((section.flags & kAllocated) == 0 || section.type == kSectionNoBits || section.size <= 0) {
      continue;
    }
    loaded_.push_back(&section);
    const bool is_code = (section.flags & kExecutable) != 0 && section.type == kSectionProgram;
    if (is_code && !section.name.starts_with(".plt")) code_.push_back(&section);
  }
  std::stable_sort(loaded_.begin(), loaded_.end(), [](const ElfSection* a, const ElfSection* b) {
    return a->address < b->address;
  });
  for (const ElfSection* section : loaded_) {
    if (section->type == kSectionRela) read_relocations(*section);
    if (section->type == kSectionRelr) read_packed_relocations(*section);
  }
  std::stable_sort(slots_.begin(), slots_.end(), by_slot);
  for (const ElfSection* section : loaded_) {
    if ((section->flags & kExecutable) == 0 || !section->name.starts_with(".plt")) continue;
    if (machine() == kMachineX86) read_linkage_x86(*section);
    if (machine() == kMachineArm) read_linkage_arm(*section);
  }
  std::stable_sort(linkage_.begin(), linkage_.end(),
                   [](const Linkage& a, const Linkage& b) { return a.entry < b.entry; });
  for (const BoundSlot& slot : slots_) {
    if (tilefit::never_returns(slot.import)) no_return_.insert(slot.slot);
  }
  for (const Linkage& entry : linkage_) {
    if (no_return_.contains(entry.slot)) no_return_.insert(entry.entry);
  }
}

const ElfSection* HostImage::section_of(Address address) const {
  auto after =
      std::upper_bound(loaded_.begin(), loaded_.end(), address,
                       [](Address a, const ElfSection* section) { return a < section->address; });
  if (after == loaded_.begin()) return nullptr;
  const ElfSection* section = *(after - 1);
  return address - section->address < static_cast<Address>(section->size) ? section : nullptr;
}

bool HostImage::is_code(Address address) const {
  const ElfSection* section = section_of(address);
  return section != nullptr && std::find(code_.begin(), code_.end(), section) != code_.end();
}

ByteView HostImage::at(Address address) const {
  const ElfSection* section = section_of(address);
  if (section == nullptr) return {};
  return elf_->data(*section).from(static_cast<Bytes>(address - section->address));
}

std::optional<std::uint64_t> HostImage::constant(Address address, int bytes) const {
  const ElfSection* section = section_of(address);
  if (section == nullptr || (section->flags & kWritable) != 0 || bound(address) != nullptr) {
    return std::nullopt;
  }
  const ByteView view = at(address);
  switch (bytes) {
    case 1:
      return view.number<std::uint8_t>(0);
    case 2:
      return view.number<std::uint16_t>(0);
    case 4:
      return view.number<std::uint32_t>(0);
    case 8:
      return view.number<std::uint64_t>(0);
    default:
      return std::nullopt;
  }
}

const BoundSlot* HostImage::bound(Address slot) const {
  auto found = std::lower_bound(slots_.begin(), slots_.end(), BoundSlot{.slot = slot, .import = {}},
                                by_slot);
  return found != slots_.end() && found->slot == slot ? &*found : nullptr;
}

std::optional<std::string_view> HostImage::text(Address address) const {
  return at(address).c_string(0);
}

void HostImage::read_relocations(const ElfSection& section) {
  if (section.link >= elf_->sections.size()) return;
  const ElfSection& symbols = elf_->sections[section.link];
  const ByteView table = elf_->data(section);
  for (Bytes at = 0; table.holds(at, kRelaSize); at += kRelaSize) {
    const auto slot = table.number_or_0<std::uint64_t>(at);
    const auto info = table.number_or_0<std::uint64_t>(at + 8);
    const auto addend = table.number_or_0<std::uint64_t>(at + 16);
    const RelocationRow* row = nullptr;
    for (const RelocationRow& r : kRelocations) {
      if (r.machine == machine() && r.type == (info & 0xffffffff)) row = &r;
    }
    if (row == nullptr) continue;
    const ElfSection* home = section_of(slot);
    if (home == nullptr || !is_bound_section(*home)) continue;
    if (row->what == Relocation::relative) {
      slots_.push_back({.slot = slot, .target = addend, .import = {}});
      continue;
    }
    // Names of the file's own symbols are not asked for: they can be most of a large file's
    // strings.
    const ByteView entry =
        elf_->data(symbols).clamp(as_bytes(info >> 32) * kSymbolSize, kSymbolSize);
    const bool own = entry.number_or_0<std::uint16_t>(6) != 0;
    const auto value = entry.number_or_0<std::uint64_t>(8);
    if (own)
      slots_.push_back({.slot = slot, .target = value + addend, .import = {}});
    else
      slots_.push_back(
          {.slot = slot,
           .target = 0,
           .import = symbol_at(*elf_, symbols, static_cast<std::uint32_t>(info >> 32)).name});
  }
}

// DT_RELR: an even word is a slot; an odd one a bitmap of the 63 words that follow the last slot.
void HostImage::read_packed_relocations(const ElfSection& section) {
  const ByteView table = elf_->data(section);
  Address next = 0;
  const auto add = [&](Address slot) {
    const ElfSection* home = section_of(slot);
    const auto target = at(slot).number<std::uint64_t>(0);
    if (home != nullptr && is_bound_section(*home) && target) {
      slots_.push_back({.slot = slot, .target = *target, .import = {}});
    }
  };
  for (Bytes at = 0; table.holds(at, 8); at += 8) {
    const auto word = table.number_or_0<std::uint64_t>(at);
    if ((word & 1) == 0) {
      add(word);
      next = word + 8;
      continue;
    }
    for (unsigned bit = 1; bit < 64; ++bit) {
      if ((word >> bit) & 1) add(next + 8 * (bit - 1));
    }
    next += 8 * 63;
  }
}

// An entry jumps through its slot: FF 25 disp32, after endbr64 or a bnd prefix in some tables.
void HostImage::read_linkage_x86(const ElfSection& section) {
  const ByteView table = elf_->data(section);
  const Bytes entry_size = section.name == ".plt.got" && section.entry_size == 8 ? 8 : 16;
  for (Bytes entry = 0; entry < table.size(); entry += entry_size) {
    for (Bytes at = entry; at < entry + entry_size; ++at) {
      if (table.number_or_0<std::uint16_t>(at) != 0x25ff || !table.holds(at, 6)) continue;
      const Address after = section.address + static_cast<Address>(at) + 6;
      const auto displacement = static_cast<std::int64_t>(table.number_or_0<std::int32_t>(at + 2));
      linkage_.push_back({.entry = section.address + static_cast<Address>(entry),
                          .slot = after + static_cast<Address>(displacement)});
      break;
    }
  }
}

// adrp x16, page; ldr x17, [x16, #offset]; add x16, ..; br x17
void HostImage::read_linkage_arm(const ElfSection& section) {
  const ByteView table = elf_->data(section);
  for (Bytes at = 0; table.holds(at, 8); at += 4) {
    const auto adrp = table.number_or_0<std::uint32_t>(at);
    const auto load = table.number_or_0<std::uint32_t>(at + 4);
    if ((adrp & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211) continue;
    std::int64_t page = ((adrp >> 5) & 0x7ffff) << 2 | ((adrp >> 29) & 3);
    if (page & 0x100000) page -= 0x200000;
    const Address here = section.address + static_cast<Address>(at);
    const Address slot =
        (here & ~Address{0xfff}) + (static_cast<Address>(page) << 12) + ((load >> 10) & 0xfff) * 8;
    Address entry = here;
    if (at >= 4 && table.number_or_0<std::uint32_t>(at - 4) == 0xd503245f) entry -= 4;  // bti c
    linkage_.push_back({.entry = entry, .slot = slot});
  }
}

std::vector<NamedFunction> HostImage::functions(std::string_view prefix) const {
  constexpr std::uint8_t kFunction = 2;
  std::vector<NamedFunction> out;
  for (const ElfSection& section : elf_->sections) {
    if (section.type != kSectionSymbols && section.type != kSectionDynamicSymbols) continue;
    for_each_symbol(*elf_, section, [&](std::uint32_t, const ElfSymbol& symbol) {
      if (symbol.type == kFunction && symbol.section != 0 && symbol.name.starts_with(prefix)) {
        out.push_back({.address = symbol.value, .name = symbol.name});
      }
    });
  }
  return out;
}

}  // namespace tilefit
