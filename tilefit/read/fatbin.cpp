// SPDX-License-Identifier: Apache-2.0
// Walks fatbin headers. Offsets are those of the version 1 format, checked against wheels that CUDA
// 11.8 to 13.2 built.
#include "tilefit/read/fatbin.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilefit {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr Bytes kFatbinHeader = 16;
constexpr Bytes kEntryHeader = 64;
constexpr std::uint16_t kKindPtx = 1, kKindElf = 2;
constexpr std::uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagArchSpecific = 0x100000, kFlagFamily = 0x200000;
constexpr Bytes kMaxPadding = 65536;
constexpr std::uint32_t kMaxSm = 9999;
constexpr std::size_t kMaxEntries = 200000;  // cuBLAS has 6000
constexpr std::size_t kMaxNotes = 100;  // of one file: a damaged one says the same over and over

struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_size;
  std::uint64_t padded_size;
  std::uint32_t packed_size, extension;
  std::uint16_t minor, major;
  std::uint32_t sm, name_offset, name_size;
  std::uint64_t flags, zero, unpacked_size;
};
static_assert(sizeof(EntryHeader) == kEntryHeader);

void note(CodeList& list, Bytes at, std::string what, bool damage = true) {
  if (list.notes.size() < kMaxNotes) list.notes.push_back({at, std::move(what), damage});
}

char suffix(std::uint64_t flags) {
  if (flags & kFlagArchSpecific) return 'a';
  return flags & kFlagFamily ? 'f' : char{0};
}

Packing packing(std::uint64_t flags) {
  if (flags & kFlagZstd) return Packing::zstd;
  return flags & kFlagLz4 ? Packing::lz4 : Packing::stored;
}

/// Why an entry with this header is none that can be read; empty if it is one.
std::string objection(const EntryHeader& header) {
  if (header.kind != kKindPtx && header.kind != kKindElf)
    return fmt::format("fatbin entry of kind {} is not read", header.kind);
  if (header.sm > kMaxSm) return fmt::format("fatbin entry for sm_{} is not read", header.sm);
  return {};
}

void read_entry(CodeList& list, Bytes at, ByteView bytes, const EntryHeader& header) {
  if (std::string why = objection(header); !why.empty())
    return note(list, at, std::move(why), false);
  CodeEntry entry;
  entry.at = at;
  entry.group = list.groups;
  entry.code = header.kind == kKindPtx ? CodeKind::ptx : CodeKind::cubin;
  entry.target = CodeTarget{static_cast<int>(header.sm), suffix(header.flags)};
  entry.packing = packing(header.flags);
  const bool stored = entry.packing == Packing::stored;
  const Bytes size = stored ? as_bytes(header.padded_size) : static_cast<Bytes>(header.packed_size);
  std::optional<ByteView> payload = bytes.slice(static_cast<Bytes>(header.header_size), size);
  if (!payload) return note(list, at, "fatbin entry is cut: its payload ends after the data");
  entry.payload = *payload;
  entry.unpacked_size = stored ? size : as_bytes(header.unpacked_size);
  list.entries.push_back(entry);
}

void read_entries(CodeList& list, Bytes at, ByteView body) {
  for (Bytes offset = 0; offset < body.size();) {
    if (list.entries.size() >= kMaxEntries)
      return note(list, at + offset, "file has more entries than are read");
    auto header = body.number<EntryHeader>(offset);
    if (!header) return note(list, at + offset, "fatbin is cut inside of an entry's header");
    if (header->header_size < kEntryHeader)
      return note(list, at + offset, "fatbin entry has a header that is too short");
    ByteView entry = body.from(offset);
    read_entry(list, at + offset, entry, *header);
    const Bytes padded = as_bytes(header->padded_size);
    if (!entry.holds(static_cast<Bytes>(header->header_size), padded)) return;
    offset += static_cast<Bytes>(header->header_size) + padded;
  }
}

/// Linkers pad each object's part of the section with zeros to its alignment.
Bytes skip_padding(ByteView run, Bytes at) {
  const Bytes end = at + kMaxPadding;
  while (at < end && run.number<std::uint64_t>(at) == 0) at += 8;
  return at;
}

}  // namespace

bool looks_like_fatbin(ByteView bytes) {
  return bytes.number_or_0<std::uint32_t>(0) == kFatbinMagic;
}

std::optional<Bytes> read_fatbin(ByteView run, Bytes at, Bytes base, CodeList& list) {
  at = skip_padding(run, at);
  if (at >= run.size() || list.entries.size() >= kMaxEntries) return std::nullopt;
  if (run.number_or_0<std::uint32_t>(at) != kFatbinMagic) {
    const bool only_padding = run.size() - at < 8;
    if (!only_padding) note(list, base + at, "data that is no fatbin");
    return std::nullopt;
  }
  const auto version = run.number_or_0<std::uint16_t>(at + 4);
  const Bytes header_size = run.number_or_0<std::uint16_t>(at + 6);
  if (version != 1 || header_size < kFatbinHeader) {
    note(list, base + at, fmt::format("fatbin of version {} is not read", version));
    return std::nullopt;
  }
  const Bytes body_size = as_bytes(run.number_or_0<std::uint64_t>(at + 8));
  const std::optional<ByteView> whole = run.slice(at + header_size, body_size);
  read_entries(list, base + at + header_size, whole ? *whole : run.from(at + header_size));
  ++list.groups;
  if (whole) return at + header_size + body_size;
  note(list, base + at, "fatbin is cut: its body ends after the data");
  return std::nullopt;
}

}  // namespace tilefit
