// SPDX-License-Identifier: Apache-2.0
// Elf: sections and symbols of a 64-bit little-endian ELF file, host program and cubin alike. All
// names and data are views of the file.
#pragma once

#include <string_view>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/bytes.h"

namespace tilefit {

inline constexpr std::uint16_t kMachineX86 = 62, kMachineArm = 183, kMachineCuda = 190;
inline constexpr std::uint32_t kSectionSymbols = 2, kSectionStrings = 3, kSectionNoBits = 8;

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0, address = 0;
  Bytes offset = 0, size = 0, entry_size = 0;
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0, binding = 0;
  std::uint32_t section = 0;  // index; 0: undefined
  std::uint64_t value = 0, size = 0;
};

struct Elf {
  ByteView file;
  std::uint8_t os_abi = 0, abi_version = 0;
  std::uint16_t type = 0, machine = 0;
  std::uint32_t flags = 0;
  std::vector<ElfSection> sections;

  /// The section's bytes; empty for those without (NOBITS) and those that lie outside of the file.
  ByteView data(const ElfSection& section) const;
  const ElfSection* find(std::string_view name) const;
};

bool looks_like_elf(ByteView bytes);
Result<Elf> read_elf(ByteView file);

/// Calls `each(index, symbol)` for the symbols of the table in `section`, until the data ends.
template <class Each>
void for_each_symbol(const Elf& elf, const ElfSection& section, Each each);

namespace elf_layout {

constexpr Bytes kSymbolSize = 24;

inline ElfSymbol symbol(ByteView table, ByteView names, Bytes at) {
  const auto info = table.number_or_0<std::uint8_t>(at + 4);
  return {.name = names.c_string(table.number_or_0<std::uint32_t>(at)).value_or(""),
          .type = static_cast<std::uint8_t>(info & 15),
          .binding = static_cast<std::uint8_t>(info >> 4),
          .section = table.number_or_0<std::uint16_t>(at + 6),
          .value = table.number_or_0<std::uint64_t>(at + 8),
          .size = table.number_or_0<std::uint64_t>(at + 16)};
}

}  // namespace elf_layout

template <class Each>
void for_each_symbol(const Elf& elf, const ElfSection& section, Each each) {
  if (section.link >= elf.sections.size()) return;
  const ByteView table = elf.data(section), names = elf.data(elf.sections[section.link]);
  for (Bytes at = 0; table.holds(at, elf_layout::kSymbolSize); at += elf_layout::kSymbolSize)
    each(static_cast<std::uint32_t>(at / elf_layout::kSymbolSize),
         elf_layout::symbol(table, names, at));
}

}  // namespace tilefit
