// SPDX-License-Identifier: Apache-2.0
// Unpacks payloads of code entries.
#pragma once

#include "tilefit/model/result.h"
#include "tilefit/read/buffer_pool.h"
#include "tilefit/read/code_entry.h"

namespace tilefit {

/// What one entry may unpack to. The largest in known wheels is 65 MB.
inline constexpr Bytes kMaxUnpacked = Bytes{512} << 20;

struct Unpacked {
  ByteView bytes;  // of the payload where that is stored plain, else of `memory`
  BufferPool::Lease memory;
};

/// The pool must outlive the result.
Result<Unpacked> unpack(const CodeEntry& entry, BufferPool& pool);

}  // namespace tilefit
