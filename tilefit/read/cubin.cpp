// SPDX-License-Identifier: Apache-2.0
// Gathers each function's facts from the sections that carry its name.
#include "tilefit/read/cubin.h"

#include <algorithm>
#include <unordered_map>

#include "tilefit/read/cubin_info.h"
#include "tilefit/read/cubin_target.h"
#include "tilefit/read/sass.h"

namespace tilefit {
namespace {

constexpr std::uint8_t kSymbolIsFunction = 2;
constexpr Bytes kDriverShare = 1024;  // that .nv.shared.K counts from sm_90 on, once linked
constexpr std::uint16_t kRelocatable = 1;
constexpr std::uint32_t kNone = UINT32_MAX;

/// What is needed of a function while its facts are gathered.
struct Work {
  std::uint32_t text_section = 0;
  bool calls_code = false;  // other than what prints and asserts
};

struct Reader {
  Elf elf;
  Cubin cubin{};
  std::vector<Work> work{};  // one for each function
  std::unordered_map<std::string_view, std::uint32_t> by_name{};
  std::vector<std::uint32_t> by_symbol{};  // symbol index -> function index
  const ElfSection* symbols = nullptr;
  bool table_names_code = false;  // addresses of functions stand in constant memory

  std::uint32_t of_symbol(std::uint32_t symbol) const {
    return symbol < by_symbol.size() ? by_symbol[symbol] : kNone;
  }
  ImageFacts& facts(std::uint32_t function) { return cubin.functions[function].facts; }
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
    r.symbols = &section;
    for_each_symbol(r.elf, section, [&](std::uint32_t index, const ElfSymbol& symbol) {
      if (symbol.type != kSymbolIsFunction || !owns_its_section(r.elf, symbol)) return;
      const auto function = static_cast<std::uint32_t>(r.cubin.functions.size());
      if (!r.by_name.emplace(symbol.name, function).second) return;
      if (r.by_symbol.size() <= index) r.by_symbol.resize(index + 1, kNone);
      r.by_symbol[index] = function;
      r.work.push_back({.text_section = symbol.section});
      CodeFunction f{.name = symbol.name, .facts = {}};
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
    const auto function = r.of_symbol(record.payload.number<std::uint32_t>(0).value_or(kNone));
    const auto value = record.payload.number<std::uint32_t>(4);
    if (function == kNone || !value) return;
    ImageFacts& facts = r.facts(function);
    if (record.code == InfoCode::register_count)
      facts.registers = static_cast<int>(*value & 0xffff);
    if (record.code == InfoCode::min_stack_size) facts.stack = *value;
  });
}

Dim3 dim3(ByteView payload) {
  auto at = [&](Bytes offset) {
    return static_cast<int>(std::min(payload.number_or_0<std::uint32_t>(offset), 0x7fffffffU));
  };
  return {at(0), at(4), at(8)};
}

void add_kernel_info(Reader& r, std::uint32_t function, const ElfSection& section) {
  ImageFacts& facts = r.facts(function);
  facts.is_kernel = true;
  for_each_info(r.elf.data(section), [&](const InfoRecord& record) {
    switch (record.code) {
      case InfoCode::max_threads:
        facts.max_threads = dim3(record.payload);
        break;
      case InfoCode::required_threads:
        facts.required_threads = dim3(record.payload);
        break;
      case InfoCode::cta_per_cluster:
        facts.cluster = dim3(record.payload);
        break;
      case InfoCode::num_barriers:
        facts.barriers = record.value & 0xff;
        break;
      default:
        break;
    }
  });
}

void add_shared(Reader& r, std::uint32_t function, const ElfSection& section) {
  ImageFacts& facts = r.facts(function);
  const Bytes all = std::max<Bytes>(0, section.size);
  const bool reserves = r.cubin.target.sm >= 90 && r.elf.type != kRelocatable;
  facts.reserved_smem = reserves ? std::min(all, kDriverShare) : 0;
  facts.static_smem = all - facts.reserved_smem;
}

void add_local(Reader& r, std::uint32_t function, const ElfSection& section) {
  ImageFacts& facts = r.facts(function);
  facts.local = std::max<Bytes>(0, section.size);
}

/// Up to sm_89 the code section's own header holds registers and barriers too; cubins of internal
/// compilers (cuBLAS) hold them nowhere else. Later headers have zeros there.
void add_text(Reader& r, std::uint32_t function, const ElfSection& section) {
  ImageFacts& facts = r.facts(function);
  const auto registers = static_cast<int>(section.info >> 24);
  const auto barriers = static_cast<int>(section.flags >> 20 & 0x7f);
  if (registers != 0 && !facts.registers) facts.registers = registers;
  if (barriers != 0 && !facts.barriers) facts.barriers = barriers;
}

/// Whether relocations name functions other than those that print and assert.
bool names_code(const Reader& r, const ElfSection& section) {
  if (r.symbols == nullptr) return false;
  const ByteView relocations = r.elf.data(section);
  const Bytes step = section.type == kSectionRela ? 24 : 16;
  for (Bytes at = 0; relocations.holds(at, step); at += step) {
    const auto index = relocations.number_or_0<std::uint32_t>(at + 12);
    const ElfSymbol symbol = symbol_at(r.elf, *r.symbols, index);
    const bool reports = symbol.name == "vprintf" || symbol.name == "__assertfail";
    if (symbol.type == kSymbolIsFunction && !reports) return true;
  }
  return false;
}

/// Calls name the function that they reach in a relocation of their own ..
void add_relocations(Reader& r, std::uint32_t function, const ElfSection& section) {
  if (r.facts(function).text_bytes <= kMaxIdleBody && names_code(r, section))
    r.work[function].calls_code = true;
}

struct Prefix {
  std::string_view text;
  void (*add)(Reader&, std::uint32_t function, const ElfSection&);
};

constexpr Prefix kPrefixes[] = {
    {kText, add_text},         {".nv.info.", add_kernel_info},  {".nv.shared.", add_shared},
    {".nv.local.", add_local}, {".rel.text.", add_relocations}, {".rela.text.", add_relocations},
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
  auto function = r.by_name.find(rest.substr(1));
  if (function == r.by_name.end()) return;
  ImageFacts& facts = r.facts(function->second);
  const Bytes bytes = std::max<Bytes>(0, section.size);
  if (bank == 0) {
    facts.constant0 = bytes;
  } else {
    facts.more_constants.push_back({bank, bytes});
  }
}

void add_section(Reader& r, const ElfSection& section) {
  // .. or take its address from a table that all functions share.
  if (section.name == ".rela.nv.constant4" || section.name == ".rel.nv.constant4")
    r.table_names_code = r.table_names_code || names_code(r, section);
  if (section.name == ".nv.info") return add_global_info(r, section);
  if (section.name.starts_with(kConstant)) return add_constant(r, section);
  for (const Prefix& prefix : kPrefixes) {
    if (!section.name.starts_with(prefix.text)) continue;
    auto function = r.by_name.find(section.name.substr(prefix.text.size()));
    if (function != r.by_name.end()) prefix.add(r, function->second, section);
    return;
  }
}

void look_at_code(Reader& r) {
  constexpr std::string_view kSizeKernel = "GetSmemSize";  // beside each trtllm-gen kernel
  for (std::uint32_t f = 0; f < r.cubin.functions.size(); ++f) {
    ImageFacts& facts = r.facts(f);
    if (!facts.is_kernel || facts.text_bytes > kMaxIdleBody) continue;
    const ByteView code = r.elf.data(r.elf.sections[r.work[f].text_section]);
    const int sm = r.cubin.target.sm;
    const bool calls = r.work[f].calls_code || (r.table_names_code && calls_by_address(code));
    if (!calls && does_nothing(code, sm)) {
      facts.body = Body::stub;
      facts.traps = has_trap(code, sm);
    }
    std::string_view name = r.cubin.functions[f].name;
    if (!name.ends_with(kSizeKernel)) continue;
    auto sized = r.by_name.find(name.substr(0, name.size() - kSizeKernel.size()));
    if (sized != r.by_name.end()) r.facts(sized->second).embedded_smem = stored_constant(code);
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
  look_at_code(r);
  return std::move(r.cubin);
}

}  // namespace tilefit
