// SPDX-License-Identifier: Apache-2.0
// read_entry: one cubin or PTX text, unpacked and read.
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/code_entry.h"
#include "tilefit/read/unpack.h"

namespace tilefit {

struct NamedFacts {
  std::string name;
  ImageFacts facts;
};

struct EntryFacts {
  CodeTarget target;
  CodeKind code = CodeKind::cubin;
  std::string tool_version;
  std::vector<NamedFacts> functions;
};

/// Own copies of all that `entry` says.
Result<EntryFacts> read_entry(const CodeEntry& entry, BufferPool& pool);

}  // namespace tilefit
