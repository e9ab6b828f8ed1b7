// SPDX-License-Identifier: Apache-2.0
// Walks fatbin headers. Offsets are those of the version 1 format, checked against wheels that CUDA
// 11.8 to 13.2 built.
#include "tilefit/read/fatbin.h"

#include <fmt/format.h>

namespace tilefit {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr Bytes kFatbinHeader = 16;
constexpr Bytes kEntryHeader = 64;
constexpr std::uint16_t kKindPtx = 1, kKindElf = 2;
constexpr std::uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagArchSpecific = 0x100000, kFlagFamily = 0x200000;
constexpr std::uint32_t kExtension = 0x40;
constexpr int kMaxNotes = 100;  // of one run: a damaged file says the same thing over and over

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

void note(FatbinRun& run, Bytes at, std::string what) {
  if (run.notes.size() < kMaxNotes) run.notes.push_back({at, std::move(what)});
}

char suffix(std::uint64_t flags) {
  if (flags & kFlagArchSpecific) return 'a';
  return flags & kFlagFamily ? 'f' : char{0};
}

std::string_view options(ByteView entry, const EntryHeader& header) {
  if (header.extension != kExtension || header.kind != kKindPtx) return {};
  Bytes length = entry.number_or_0<std::uint32_t>(kEntryHeader + 4);
  Bytes room = static_cast<Bytes>(header.header_size) - kEntryHeader - 8;
  std::string_view text = entry.clamp(kEntryHeader + 8, std::min(length, room)).text();
  return text.substr(0, text.find('\0'));
}

/// The entry as far as its header and the bytes of it that are present allow; a note where not.
void read_entry(FatbinRun& run, Bytes at, ByteView entry, const EntryHeader& header) {
  if (header.kind != kKindPtx && header.kind != kKindElf) {
    note(run, at, fmt::format("fatbin entry of kind {} is not read", header.kind));
    return;
  }
  FatbinEntry e;
  e.at = at;
  e.code = header.kind == kKindPtx ? CodeKind::ptx : CodeKind::cubin;
  if (header.sm > 9999) {
    note(run, at, fmt::format("fatbin entry for sm_{} is not read", header.sm));
    return;
  }
  e.target = {static_cast<int>(header.sm), suffix(header.flags)};
  if (header.flags & kFlagLz4) e.packing = Packing::lz4;
  if (header.flags & kFlagZstd) e.packing = Packing::zstd;
  const bool stored = e.packing == Packing::stored;
  Bytes size = stored ? as_bytes(header.padded_size) : static_cast<Bytes>(header.packed_size);
  std::optional<ByteView> payload = entry.slice(static_cast<Bytes>(header.header_size), size);
  if (!payload) {
    note(run, at, "fatbin entry is cut: its payload ends after the data");
    return;
  }
  e.payload = *payload;
  e.unpacked_size = stored ? size : as_bytes(header.unpacked_size);
  e.options = options(entry, header);
  run.entries.push_back(e);
}

void read_entries(FatbinRun& run, Bytes at, ByteView body) {
  for (Bytes offset = 0; offset < body.size();) {
    auto header = body.number<EntryHeader>(offset);
    if (!header || header->header_size < kEntryHeader) {
      note(run, at + offset, header ? "fatbin entry has a header that is too short"
                                    : "fatbin is cut inside of an entry's header");
      return;
    }
    ByteView entry = body.from(offset);
    read_entry(run, at + offset, entry, *header);
    Bytes padded = as_bytes(header->padded_size);
    if (!entry.holds(static_cast<Bytes>(header->header_size), padded)) return;
    offset += static_cast<Bytes>(header->header_size) + padded;
  }
}

}  // namespace

bool looks_like_fatbin(ByteView bytes) {
  return bytes.number_or_0<std::uint32_t>(0) == kFatbinMagic;
}

FatbinRun read_fatbins(ByteView bytes) {
  FatbinRun run;
  for (Bytes at = 0; at < bytes.size();) {
    if (bytes.number_or_0<std::uint32_t>(at) != kFatbinMagic) {
      // Linkers pad each object's part of the section with zeros to its alignment.
      if (bytes.number<std::uint64_t>(at) == 0) {
        at += 8;
        continue;
      }
      if (bytes.size() - at >= 8) note(run, at, "data that is no fatbin");
      return run;
    }
    Bytes header_size = bytes.number_or_0<std::uint16_t>(at + 6);
    Bytes body_size = as_bytes(bytes.number_or_0<std::uint64_t>(at + 8));
    if (auto version = bytes.number_or_0<std::uint16_t>(at + 4);
        version != 1 || header_size < kFatbinHeader) {
      note(run, at, fmt::format("fatbin of version {} is not read", version));
      return run;
    }
    ++run.fatbins;
    ByteView body = bytes.clamp(at + header_size, body_size < 0 ? bytes.size() : body_size);
    if (body.size() != body_size) note(run, at, "fatbin is cut: its body ends after the data");
    read_entries(run, at + header_size, body);
    if (body.size() != body_size) return run;
    at += header_size + body_size;
  }
  return run;
}

}  // namespace tilefit
