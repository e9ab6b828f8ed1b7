// SPDX-License-Identifier: Apache-2.0
// Gathers each function's facts from the sections that carry its name.
#include "tilefit/read/cubin.h"

#include <algorithm>
#include <unordered_map>

#include "tilefit/read/cubin_info.h"
#include "tilefit/read/cubin_target.h"

namespace tilefit {
namespace {

constexpr std::uint8_t kSymbolIsFunction = 2;
constexpr Bytes kDriverShare = 1024;  // that .nv.shared.K counts from sm_90 on
constexpr std::uint32_t kNone = UINT32_MAX;

struct Reader {
  Elf elf;
  Cubin cubin{};
  std::unordered_map<std::string_view, std::uint32_t> by_name{};
  std::vector<std::uint32_t> by_symbol{};  // symbol index -> function index

  ImageFacts* named(std::string_view name) {
    auto it = by_name.find(name);
    return it == by_name.end() ? nullptr : &cubin.functions[it->second].facts;
  }
  ImageFacts* of_symbol(std::uint32_t symbol) {
    if (symbol >= by_symbol.size() || by_symbol[symbol] == kNone) return nullptr;
    return &cubin.functions[by_symbol[symbol]].facts;
  }
};

constexpr std::string_view kText = ".text.";

/// Helpers that the compiler placed inside of another function's section are part of that function.
bool owns_its_section(const Elf& elf, const ElfSymbol& symbol) {
  if (symbol.section >= elf.sections.size() || symbol.name.empty()) return false;
  std::string_view section = elf.sections[symbol.section].name;
  return section.starts_with(kText) && section.substr(kText.size()) == symbol.name;
}

void add_functions(Reader& r) {
  for (const ElfSection& section : r.elf.sections) {
    if (section.type != kSectionSymbols) continue;
    for_each_symbol(r.elf, section, [&](std::uint32_t index, const ElfSymbol& symbol) {
      if (symbol.type != kSymbolIsFunction || !owns_its_section(r.elf, symbol)) return;
      const auto function = static_cast<std::uint32_t>(r.cubin.functions.size());
      if (r.by_symbol.size() <= index) r.by_symbol.resize(index + 1, kNone);
      r.by_symbol[index] = function;
      r.by_name.emplace(symbol.name, function);
      CubinFunction f{.name = symbol.name, .facts = {}};
      f.facts.is_kernel = false;  // until an .nv.info section carries its name
      f.facts.text_bytes = std::max<Bytes>(0, as_bytes(symbol.size));
      r.cubin.functions.push_back(std::move(f));
    });
    return;  // a file has one symbol table
  }
}

/// Registers and stack frames, which stand together for all functions.
void add_global_info(Reader& r, const ElfSection& section) {
  for_each_info(r.elf.data(section), [&](const InfoRecord& record) {
    ImageFacts* facts = r.of_symbol(record.payload.number<std::uint32_t>(0).value_or(kNone));
    auto value = record.payload.number<std::uint32_t>(4);
    if (facts == nullptr || !value) return;
    if (record.code == InfoCode::register_count) facts->registers = static_cast<int>(*value & 0xffff);
    if (record.code == InfoCode::min_stack_size) facts->stack = *value;
  });
}

Dim3 dim3(ByteView payload) {
  auto at = [&](Bytes offset) {
    return static_cast<int>(std::min(payload.number_or_0<std::uint32_t>(offset), 0x7fffffffU));
  };
  return {at(0), at(4), at(8)};
}

void add_kernel_info(Reader& r, ImageFacts& facts, const ElfSection& section) {
  facts.is_kernel = true;
  for_each_info(r.elf.data(section), [&](const InfoRecord& record) {
    switch (record.code) {
      case InfoCode::max_threads: facts.max_threads = dim3(record.payload); break;
      case InfoCode::required_threads: facts.required_threads = dim3(record.payload); break;
      case InfoCode::cta_per_cluster: facts.cluster = dim3(record.payload); break;
      case InfoCode::num_barriers: facts.barriers = record.value & 0xff; break;
      default: break;
    }
  });
}

void add_shared(Reader& r, ImageFacts& facts, const ElfSection& section) {
  const Bytes all = std::max<Bytes>(0, section.size);
  facts.reserved_smem = r.cubin.target.sm >= 90 ? std::min(all, kDriverShare) : 0;
  facts.static_smem = all - facts.reserved_smem;
}

void add_local(Reader&, ImageFacts& facts, const ElfSection& section) {
  facts.local = std::max<Bytes>(0, section.size);
}

/// Up to sm_89 the code section's own header holds registers and barriers too; cubins of internal
/// compilers (cuBLAS) hold them nowhere else. Later headers have zeros there.
void add_text(Reader&, ImageFacts& facts, const ElfSection& section) {
  const auto registers = static_cast<int>(section.info >> 24);
  const auto barriers = static_cast<int>(section.flags >> 20 & 0x7f);
  if (registers != 0 && !facts.registers) facts.registers = registers;
  if (barriers != 0 && !facts.barriers) facts.barriers = barriers;
}

struct Prefix {
  std::string_view text;
  void (*add)(Reader&, ImageFacts&, const ElfSection&);
};

constexpr Prefix kPrefixes[] = {
    {kText, add_text},
    {".nv.info.", add_kernel_info},
    {".nv.shared.", add_shared},
    {".nv.local.", add_local},
};

constexpr std::string_view kConstant = ".nv.constant";

/// ".nv.constant0.K": one bank of one kernel.
void add_constant(Reader& r, const ElfSection& section) {
  std::string_view rest = section.name.substr(kConstant.size());
  int bank = 0;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && bank < 100) {
    bank = bank * 10 + (rest[0] - '0');
    rest.remove_prefix(1);
  }
  if (rest.empty() || rest[0] != '.') return;
  if (ImageFacts* facts = r.named(rest.substr(1)))
    facts->constants.push_back({bank, std::max<Bytes>(0, section.size)});
}

void add_section(Reader& r, const ElfSection& section) {
  if (section.name == ".nv.info") return add_global_info(r, section);
  if (section.name.starts_with(kConstant)) return add_constant(r, section);
  for (const Prefix& prefix : kPrefixes) {
    if (!section.name.starts_with(prefix.text)) continue;
    if (ImageFacts* facts = r.named(section.name.substr(prefix.text.size())))
      prefix.add(r, *facts, section);
    return;
  }
}

}  // namespace

bool looks_like_cubin(ByteView bytes) {
  return looks_like_elf(bytes) && bytes.number_or_0<std::uint16_t>(18) == kMachineCuda;
}

Result<Cubin> read_cubin(ByteView file) {
  Result<Elf> elf = read_elf(file);
  if (!elf) return elf.error();
  if (elf->machine != kMachineCuda)
    return Error{.what = "ELF file is no device code", .where = {}, .fix = {}};
  Reader r{.elf = *std::move(elf)};
  r.cubin.tool_version = tool_version(r.elf);
  r.cubin.target = target_of(r.elf);
  add_functions(r);
  for (const ElfSection& section : r.elf.sections) add_section(r, section);
  return std::move(r.cubin);
}

}  // namespace tilefit
