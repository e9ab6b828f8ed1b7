// SPDX-License-Identifier: Apache-2.0
// read_entry: one cubin or PTX text, unpacked and read.
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/code_entry.h"

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

/// Own copies of all that `entry` says; what it takes to unpack it is gone afterwards.
Result<EntryFacts> read_entry(const CodeEntry& entry);

}  // namespace tilefit
