// SPDX-License-Identifier: Apache-2.0
// Host programs and static libraries keep fatbins in sections; all else is code as it stands.
#include "tilefit/read/container.h"

#include <fmt/format.h>

#include "tilefit/read/archive.h"
#include "tilefit/read/cubin.h"
#include "tilefit/read/elf.h"
#include "tilefit/read/fatbin.h"
#include "tilefit/read/ptx.h"

namespace tilefit {
namespace {

using Read = Result<CodeList> (*)(ByteView, const Release&);

CodeList single(ByteView file, CodeKind code) {
  CodeEntry entry;
  entry.code = code;
  entry.payload = file;
  entry.unpacked_size = file.size();
  return {.entries = {entry}, .groups = 1, .notes = {}};
}

Result<CodeList> read_cubin_file(ByteView file, const Release&) {
  return single(file, CodeKind::cubin);
}
Result<CodeList> read_ptx_file(ByteView file, const Release&) {
  return single(file, CodeKind::ptx);
}

/// Headers lie far apart, so walking them touches many pages: each stretch is let go of behind.
void read_run(ByteView run, Bytes base, const Release& release, CodeList& list) {
  constexpr Bytes kStretch = Bytes{4} << 20;
  Bytes released = 0;
  for (std::optional<Bytes> at = 0; at; at = read_fatbin(run, *at, base, list)) {
    if (*at - released < kStretch) continue;
    release(run.clamp(released, *at - released));
    released = *at;
  }
  release(run.from(released));
}

Result<CodeList> read_fatbin_file(ByteView file, const Release& release) {
  CodeList list;
  read_run(file, 0, release, list);
  return list;
}

/// Sections of linked code, and of code that a device link is still to come for. The latter is in
/// the former too where both are there.
void read_sections(const Elf& elf, Bytes base, const Release& release, CodeList& list) {
  for (std::string_view name : {".nv_fatbin", "__nv_relfatbin"}) {
    bool found = false;
    for (const ElfSection& section : elf.sections) {
      if (section.name != name) continue;
      const ByteView run = elf.file.from(section.offset).clamp(0, section.size);
      if (run.size() < section.size)
        list.notes.push_back({base + section.offset, fmt::format("section {} is cut", name), true});
      found |= !run.empty();
      read_run(run, base + section.offset, release, list);
    }
    if (found) return;
  }
}

Result<CodeList> read_program(ByteView file, const Release& release) {
  Result<Elf> elf = read_elf(file);
  if (!elf) return elf.error();
  CodeList list;
  read_sections(*elf, 0, release, list);
  return list;
}

Result<CodeList> read_library(ByteView file, const Release& release) {
  Result<std::vector<ArchiveMember>> members = read_archive(file);
  if (!members) return members.error();
  CodeList list;
  for (const ArchiveMember& member : *members) {
    const FileKind kind = sniff(member.data);
    if (kind == FileKind::host_elf) {
      Result<Elf> elf = read_elf(member.data);
      if (elf) read_sections(*elf, member.at, release, list);
      if (!elf) list.notes.push_back({member.at, elf.error().what, true});
    } else if (kind == FileKind::cubin) {
      CodeEntry entry = single(member.data, CodeKind::cubin).entries[0];
      entry.at = member.at;
      entry.group = list.groups++;
      list.entries.push_back(entry);
    }
    release(member.data);
  }
  return list;
}

Result<CodeList> refuse_pe(ByteView, const Release&) {
  return Error{.what = "Windows programs (PE) are not supported",
               .where = {},
               .fix = "scan the Linux build of the same package"};
}

bool looks_like_host_elf(ByteView bytes) {
  return looks_like_elf(bytes) && !looks_like_cubin(bytes);
}
bool looks_like_zip(ByteView bytes) {
  return bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6");
}
bool looks_like_pe(ByteView bytes) {
  if (!bytes.starts_with("MZ")) return false;
  return bytes.from(bytes.number_or_0<std::uint32_t>(0x3c))
      .starts_with(std::string_view("PE\0\0", 4));
}

struct Container {
  FileKind kind;
  bool (*looks_like)(ByteView);
  Read read;
};

constexpr Container kContainers[] = {
    {FileKind::fatbin, looks_like_fatbin, read_fatbin_file},
    {FileKind::cubin, looks_like_cubin, read_cubin_file},
    {FileKind::host_elf, looks_like_host_elf, read_program},
    {FileKind::archive, looks_like_archive, read_library},
    {FileKind::zip, looks_like_zip, nullptr},
    {FileKind::pe, looks_like_pe, refuse_pe},
    {FileKind::ptx, looks_like_ptx, read_ptx_file},
};

}  // namespace

FileKind sniff(ByteView head) {
  for (const Container& row : kContainers)
    if (row.looks_like(head)) return row.kind;
  return FileKind::none;
}

Result<CodeList> read_container(ByteView file, const Release& release) {
  for (const Container& row : kContainers)
    if (row.read != nullptr && row.looks_like(file)) return row.read(file, release);
  return Error{
      .what = "no kind of file that holds device code",
      .where = {},
      .fix = "give a .so, .o, .a, program, .cubin, .fatbin, .ptx, wheel or zip, or a folder"};
}

}  // namespace tilefit
