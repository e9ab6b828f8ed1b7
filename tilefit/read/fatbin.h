// SPDX-License-Identifier: Apache-2.0
// Fatbin: NVIDIA's container of cubins and PTX, as it lies in .nv_fatbin sections and .fatbin files.
//
// A section is a run of fatbins. Each has a 16-byte header and entries; an entry has a header of
// its own (64 bytes and more, the length stands in it), flags that say for which chip and how
// compressed, then the payload, padded. Only headers are read here; payloads stay where they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/facts.h"
#include "tilefit/read/bytes.h"

namespace tilefit {

enum class Packing : std::uint8_t { stored, lz4, zstd };

struct FatbinEntry {
  Bytes at = 0;  // of the entry's header in the run
  CodeKind code = CodeKind::cubin;
  Target target;
  Packing packing = Packing::stored;
  ByteView payload;        // as stored, without padding
  Bytes unpacked_size = 0;
  std::string_view options;  // what ptxas will be told, for PTX
};

/// Something that could not be read, and where. The rest of the file still counts.
struct ReadNote {
  Bytes at = 0;
  std::string what;
};

struct FatbinRun {
  std::vector<FatbinEntry> entries;  // in file order
  std::vector<ReadNote> notes;
  int fatbins = 0;
};

bool looks_like_fatbin(ByteView bytes);
FatbinRun read_fatbins(ByteView run);

}  // namespace tilefit
