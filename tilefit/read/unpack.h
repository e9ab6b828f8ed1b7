// SPDX-License-Identifier: Apache-2.0
// Unpacks payloads of fatbin entries into a buffer that the caller keeps for the next one.
#pragma once

#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/code_entry.h"

namespace tilefit {

/// What one entry may unpack to. The largest in known wheels is 25 MB.
inline constexpr Bytes kMaxUnpacked = Bytes{512} << 20;

/// The entry's plain bytes: a view of the payload where it is stored, of `buffer` otherwise.
Result<ByteView> unpack(const CodeEntry& entry, std::vector<std::byte>& buffer);

}  // namespace tilefit
