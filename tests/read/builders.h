// SPDX-License-Identifier: Apache-2.0
// Small ELF files, cubins and fatbins made in code, so that tests say what is in their input.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/read/bytes.h"

namespace tilefit {

/// Bytes that grow: append() puts numbers as they lie in memory.
class ByteString {
 public:
  template <class T>
  ByteString& append(T value) {
    const auto at = text.size();
    text.resize(at + sizeof(T));
    std::memcpy(text.data() + at, &value, sizeof(T));
    return *this;
  }
  ByteString& append_text(std::string_view more) {
    text += more;
    return *this;
  }
  ByteView view() const { return ByteView(std::string_view(text)); }

  std::string text;
};

/// Writes sections in order behind the header, then names, then the table of sections.
class ElfBuilder {
 public:
  std::uint16_t machine = 190;
  std::uint8_t os_abi = 0x41, abi_version = 8;
  std::uint32_t flags = 0x6005a04;  // sm_90, new layout

  struct Section {
    std::string name, data;
    std::uint32_t type = 1, link = 0, info = 0;
    std::uint64_t flags = 0, size = 0;  // size of those without data
  };

  /// Index of the new section; 0 is the empty first one.
  std::uint32_t add(Section section) {
    sections_.push_back(std::move(section));
    return static_cast<std::uint32_t>(sections_.size());
  }

  std::string build() const {
    ByteString names, out;
    names.append_text(std::string(1, '\0'));
    std::vector<std::uint32_t> name_at;
    for (const Section& s : sections_) {
      name_at.push_back(static_cast<std::uint32_t>(names.text.size()));
      names.append_text(s.name).append_text(std::string(1, '\0'));
    }
    const auto names_name = static_cast<std::uint32_t>(names.text.size());
    names.append_text(std::string(".shstrtab") + '\0');
    out.text.assign(64, '\0');
    std::vector<std::uint64_t> at;
    for (const Section& s : sections_) {
      at.push_back(out.text.size());
      out.append_text(s.data);
    }
    const std::uint64_t names_at = out.text.size();
    out.append_text(names.text);
    const std::uint64_t table = out.text.size();
    out.append_text(std::string(64, '\0'));
    for (std::size_t i = 0; i < sections_.size(); ++i)
      put_header(out, sections_[i], name_at[i], at[i]);
    put_header(out, {.name = {}, .data = names.text, .type = 3}, names_name, names_at);
    put_file_header(out, table);
    return out.text;
  }

 private:
  static void put_header(ByteString& out, const Section& s, std::uint32_t name, std::uint64_t at) {
    out.append(name).append(s.type).append(s.flags).append(std::uint64_t{0}).append(at);
    out.append(s.data.empty() ? s.size : std::uint64_t{s.data.size()});
    out.append(s.link).append(s.info).append(std::uint64_t{1}).append(std::uint64_t{0});
  }

  void put_file_header(ByteString& out, std::uint64_t table) const {
    ByteString h;
    h.append_text(
         "\x7f"
         "ELF")
        .append(std::uint8_t{2})
        .append(std::uint8_t{1});
    h.append(std::uint8_t{1}).append(os_abi).append(abi_version).append_text(std::string(7, '\0'));
    h.append(std::uint16_t{2}).append(machine).append(std::uint32_t{1});
    h.append(std::uint64_t{0}).append(std::uint64_t{0}).append(table).append(flags);
    h.append(std::uint16_t{64}).append(std::uint16_t{56}).append(std::uint16_t{0});
    h.append(std::uint16_t{64}).append(static_cast<std::uint16_t>(sections_.size() + 2));
    h.append(static_cast<std::uint16_t>(sections_.size() + 1));
    out.text.replace(0, 64, h.text);
  }

  std::vector<Section> sections_;
};

/// A kernel of a made-up cubin.
struct BuiltKernel {
  std::string name;
  std::string code = std::string(8192, '\0');  // too large to be a stub
  std::uint32_t registers = 32, shared = 1024, max_threads = 0;
  bool is_kernel = true;
};

inline std::string info_record(std::uint8_t code, const std::vector<std::uint32_t>& values) {
  ByteString record;
  record.append(std::uint8_t{4}).append(code).append(static_cast<std::uint16_t>(4 * values.size()));
  for (std::uint32_t v : values) record.append(v);
  return record.text;
}

/// The cubin that holds `kernels`, with symbols, code, attributes and shared memory.
inline std::string build_cubin(const std::vector<BuiltKernel>& kernels,
                               std::uint32_t flags = 0x6005a04) {
  ElfBuilder elf;
  elf.flags = flags;
  ByteString names, symbols;
  std::string global_info;
  names.append_text(std::string(1, '\0'));
  symbols.append_text(std::string(24, '\0'));
  std::uint32_t section = 3;  // after names and symbols
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto symbol = static_cast<std::uint32_t>(i + 1);
    symbols.append(static_cast<std::uint32_t>(names.text.size()))
        .append(std::uint8_t{0x12})
        .append(std::uint8_t{0});
    symbols.append(static_cast<std::uint16_t>(section))
        .append(std::uint64_t{0})
        .append(std::uint64_t{kernels[i].code.size()});
    names.append_text(kernels[i].name + '\0');
    global_info +=
        info_record(0x2f, {symbol, kernels[i].registers}) + info_record(0x12, {symbol, 8});
    section += kernels[i].is_kernel ? 4 : 1;
  }
  elf.add({.name = ".strtab", .data = names.text, .type = 3});
  elf.add({.name = ".symtab", .data = symbols.text, .type = 2, .link = 1});
  for (const BuiltKernel& k : kernels) {
    elf.add({.name = ".text." + k.name, .data = k.code});
    if (!k.is_kernel) continue;
    elf.add({.name = ".nv.info." + k.name,
             .data = k.max_threads == 0 ? info_record(0x1c, {0})
                                        : info_record(0x05, {k.max_threads, 1, 1})});
    elf.add({.name = ".nv.shared." + k.name, .data = {}, .type = 8, .size = k.shared});
    elf.add({.name = ".nv.constant0." + k.name, .data = std::string(536, '\0')});
  }
  elf.add({.name = ".nv.info", .data = global_info});
  return elf.build();
}

struct BuiltEntry {
  std::string payload;
  std::uint16_t kind = 2;  // cubin
  std::uint32_t sm = 90;
  std::uint64_t flags = 0;
  std::uint32_t packed_size = 0;
  std::uint64_t unpacked_size = 0;
};

inline std::string build_fatbin(const std::vector<BuiltEntry>& entries) {
  ByteString body;
  for (const BuiltEntry& e : entries) {
    const std::size_t padded = (e.payload.size() + 7) / 8 * 8;
    body.append(e.kind).append(std::uint16_t{0x0101}).append(std::uint32_t{64});
    body.append(std::uint64_t{padded}).append(e.packed_size).append(std::uint32_t{0});
    body.append(std::uint16_t{8}).append(std::uint16_t{1}).append(e.sm).append(std::uint64_t{0});
    body.append(e.flags).append(std::uint64_t{0}).append(e.unpacked_size);
    body.append_text(e.payload).append_text(std::string(padded - e.payload.size(), '\0'));
  }
  ByteString out;
  out.append(std::uint32_t{0xBA55ED50}).append(std::uint16_t{1}).append(std::uint16_t{16});
  out.append(std::uint64_t{body.text.size()}).append_text(body.text);
  return out.text;
}

/// Code of one 16-byte instruction.
inline std::string instruction(std::uint16_t opcode, std::uint8_t result = 0,
                               std::uint8_t second = 0xff, std::uint32_t constant = 0) {
  ByteString code;
  code.append(opcode).append(result).append(second).append(constant).append(std::uint64_t{0xff});
  return code.text;
}

}  // namespace tilefit
