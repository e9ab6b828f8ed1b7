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
inline constexpr std::uint32_t kSectionSymbols = 2, kSectionRela = 4, kSectionNoBits = 8;

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
  ByteView wide_indices;  // sections of symbols, where 16 bits do not hold them

  /// The section's bytes; empty for those without (NOBITS) and those that lie outside of the file.
  ByteView data(const ElfSection& section) const;
  const ElfSection* find(std::string_view name) const;
};

bool looks_like_elf(ByteView bytes);
Result<Elf> read_elf(ByteView file);

inline constexpr Bytes kSymbolSize = 24;

/// The symbol at `index` of the table in `section`; an empty one where there is none.
ElfSymbol symbol_at(const Elf& elf, const ElfSection& section, std::uint32_t index);

/// How long all names of a file may be together. They lie in it one after the other, with few ends
/// shared; a made-up file that shares them all would cost its square.
constexpr Bytes name_budget(ByteView file) { return 4 * file.size(); }

/// Calls `each(index, symbol)` for all of them, until the names are longer than they can be.
template <class Each>
void for_each_symbol(const Elf& elf, const ElfSection& section, Each each) {
  const Bytes count = elf.data(section).size() / kSymbolSize;
  Bytes budget = name_budget(elf.file);
  for (std::uint32_t i = 0; i < count && budget >= 0; ++i) {
    const ElfSymbol symbol = symbol_at(elf, section, i);
    budget -= static_cast<Bytes>(symbol.name.size());
    each(i, symbol);
  }
}

}  // namespace tilefit
