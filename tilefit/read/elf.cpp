// SPDX-License-Identifier: Apache-2.0
// Reads ELF64 headers; more than 65279 sections follow the gABI's rule for large counts.
#include "tilefit/read/elf.h"

#include <algorithm>

namespace tilefit {
namespace {

constexpr Bytes kHeaderSize = 64, kSectionHeaderSize = 64;
constexpr std::uint32_t kIndexElsewhere = 0xffff, kSectionWideIndices = 18;

/// Section headers that are read: five for each kernel, and no cubin has 10,000 of them.
constexpr Bytes kMaxSections = 400000;

Error broken(std::string what) { return {.what = std::move(what), .where = {}, .fix = {}}; }

ElfSection section_at(ByteView file, Bytes at) {
  return {.name = {},
          .type = file.number_or_0<std::uint32_t>(at + 4),
          .link = file.number_or_0<std::uint32_t>(at + 40),
          .info = file.number_or_0<std::uint32_t>(at + 44),
          .flags = file.number_or_0<std::uint64_t>(at + 8),
          .address = file.number_or_0<std::uint64_t>(at + 16),
          .offset = as_bytes(file.number_or_0<std::uint64_t>(at + 24)),
          .size = as_bytes(file.number_or_0<std::uint64_t>(at + 32)),
          .entry_size = as_bytes(file.number_or_0<std::uint64_t>(at + 56))};
}

struct Table {
  Bytes at = 0, count = 0;
  std::uint32_t names = 0;
};

Result<Table> section_table(ByteView file) {
  Table table{.at = as_bytes(file.number_or_0<std::uint64_t>(40)),
              .count = file.number_or_0<std::uint16_t>(60),
              .names = file.number_or_0<std::uint16_t>(62)};
  if (table.at == 0) return table;  // a stripped program may have none
  if (file.number_or_0<std::uint16_t>(58) != kSectionHeaderSize)
    return broken("ELF section headers of an unknown size");
  if (!file.holds(table.at, kSectionHeaderSize))
    return broken("ELF file is cut: its section headers lie after its end");
  const ElfSection first = section_at(file, table.at);
  if (table.count == 0) table.count = first.size;
  if (table.names == kIndexElsewhere) table.names = first.link;
  if (table.count < 0 || table.count > (file.size() - table.at) / kSectionHeaderSize)
    return broken("ELF file is cut: its section headers end after the data");
  if (table.count > kMaxSections) return broken("ELF file has more sections than are read");
  return table;
}

}  // namespace

bool looks_like_elf(ByteView bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

ByteView Elf::data(const ElfSection& section) const {
  if (section.type == kSectionNoBits) return {};
  return file.slice(section.offset, section.size).value_or(ByteView{});
}

const ElfSection* Elf::find(std::string_view name) const {
  auto it = std::find_if(sections.begin(), sections.end(),
                         [&](const ElfSection& s) { return s.name == name; });
  return it == sections.end() ? nullptr : &*it;
}

ElfSymbol symbol_at(const Elf& elf, const ElfSection& section, std::uint32_t index) {
  if (section.link >= elf.sections.size()) return {};
  const ByteView names = elf.data(elf.sections[section.link]);
  const ByteView entry = elf.data(section).clamp(index * kSymbolSize, kSymbolSize);
  if (entry.size() != kSymbolSize) return {};
  const auto info = entry.number_or_0<std::uint8_t>(4);
  std::uint32_t home = entry.number_or_0<std::uint16_t>(6);
  if (home == kIndexElsewhere) home = elf.wide_indices.number_or_0<std::uint32_t>(Bytes{index} * 4);
  return {.name = names.c_string(entry.number_or_0<std::uint32_t>(0)).value_or(""),
          .type = static_cast<std::uint8_t>(info & 15),
          .binding = static_cast<std::uint8_t>(info >> 4),
          .section = home,
          .value = entry.number_or_0<std::uint64_t>(8),
          .size = entry.number_or_0<std::uint64_t>(16)};
}

Result<Elf> read_elf(ByteView file) {
  if (!looks_like_elf(file)) return broken("not an ELF file");
  if (!file.holds(0, kHeaderSize)) return broken("ELF file is cut inside of its header");
  if (file.number_or_0<std::uint8_t>(4) != 2) return broken("32-bit ELF files are not read");
  if (file.number_or_0<std::uint8_t>(5) != 1) return broken("big-endian ELF files are not read");
  Result<Table> table = section_table(file);
  if (!table) return table.error();
  Elf elf{.file = file,
          .os_abi = file.number_or_0<std::uint8_t>(7),
          .abi_version = file.number_or_0<std::uint8_t>(8),
          .type = file.number_or_0<std::uint16_t>(16),
          .machine = file.number_or_0<std::uint16_t>(18),
          .flags = file.number_or_0<std::uint32_t>(48),
          .sections = {},
          .wide_indices = {}};
  elf.sections.reserve(static_cast<std::size_t>(table->count));
  for (Bytes i = 0; i < table->count; ++i)
    elf.sections.push_back(section_at(file, table->at + i * kSectionHeaderSize));
  for (const ElfSection& section : elf.sections)
    if (section.type == kSectionWideIndices) elf.wide_indices = elf.data(section);
  if (table->names >= elf.sections.size()) return elf;
  const ByteView names = elf.data(elf.sections[table->names]);
  Bytes budget = name_budget(file);
  for (Bytes i = 0; i < table->count; ++i) {
    const Bytes at = file.number_or_0<std::uint32_t>(table->at + i * kSectionHeaderSize);
    std::string_view& name = elf.sections[static_cast<std::size_t>(i)].name;
    name = names.c_string(at).value_or("");
    budget -= static_cast<Bytes>(name.size());
    if (budget < 0) return broken("ELF file has section names that overlap");
  }
  return elf;
}

}  // namespace tilefit
