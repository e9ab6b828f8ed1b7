// SPDX-License-Identifier: Apache-2.0
// Unpacks payloads of code entries.
#pragma once

#include "tilefit/model/result.h"
#include "tilefit/read/buffer_pool.h"
#include "tilefit/read/code_entry.h"

namespace tilefit {

/// What one entry may unpack to; the largest in known wheels is 65 MB. Above kFreelyUnpacked no
/// more than kMaxUnpackRatio bytes for each packed one: cubins shrink to a fifth, bombs to a
/// thousandth.
inline constexpr Bytes kFreelyUnpacked = Bytes{80} << 20, kMaxUnpacked = Bytes{256} << 20;
inline constexpr Bytes kMaxUnpackRatio = 32;

struct Unpacked {
  ByteView bytes;  // of the payload where that is stored plain, else of `memory`
  BufferPool::Lease memory;
};

/// The pool must outlive the result.
Result<Unpacked> unpack(const CodeEntry& entry, BufferPool& pool);

}  // namespace tilefit
