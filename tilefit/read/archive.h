// SPDX-License-Identifier: Apache-2.0
// Archive: members of a static library (ar format, as GNU and BSD tools write it).
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/bytes.h"

namespace tilefit {

struct ArchiveMember {
  std::string name;
  Bytes at = 0;  // of the data in the archive
  ByteView data;
};

bool looks_like_archive(ByteView bytes);
Result<std::vector<ArchiveMember>> read_archive(ByteView file);

}  // namespace tilefit
