// SPDX-License-Identifier: Apache-2.0
// CodeEntry: one cubin or PTX text where it lies in a file, before it is unpacked.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/facts.h"
#include "tilefit/read/bytes.h"

namespace tilefit {

enum class Packing : std::uint8_t { stored, lz4, zstd };

struct CodeEntry {
  Bytes at = 0;   // of the entry in the file
  int group = 0;  // the fatbin that it stands in: the driver takes one entry of each
  CodeKind code = CodeKind::cubin;
  std::optional<CodeTarget> target;  // where the container states it
  Packing packing = Packing::stored;
  ByteView payload;  // as stored, without padding
  Bytes unpacked_size = 0;
};

/// A function in unpacked code. `name` is a view of that.
struct CodeFunction {
  std::string_view name;
  ImageFacts facts;
};

/// Something that was not read, and where. The rest of the file still counts.
struct ReadNote {
  Bytes at = 0;
  std::string what;
  bool damage = true;  // false: sound, but of a kind that is not read
};

/// What a file holds.
struct CodeList {
  std::vector<CodeEntry> entries;  // in file order
  int groups = 0;
  std::vector<ReadNote> notes;
};

}  // namespace tilefit
