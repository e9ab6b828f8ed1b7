// SPDX-License-Identifier: Apache-2.0
// LZ4 payloads are raw blocks without a frame, zstd payloads are standard frames.
#include "tilefit/read/unpack.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace tilefit {
namespace {

constexpr Bytes kLz4MaxRatio = 255;  // the format cannot do better

Error broken(std::string_view how) {
  return {.what = fmt::format("{} data is damaged", how), .where = {}, .fix = {}};
}

Result<Unpacked> unpack_lz4(const CodeEntry& entry, BufferPool& pool) {
  if (entry.unpacked_size > entry.payload.size() * kLz4MaxRatio + 64) return broken("LZ4");
  BufferPool::Lease memory = pool.take(static_cast<std::size_t>(entry.unpacked_size));
  const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data()),
                                          reinterpret_cast<char*>(memory.bytes().data()),
                                          static_cast<int>(entry.payload.size()),
                                          static_cast<int>(entry.unpacked_size));
  if (written < 0 || written != entry.unpacked_size) return broken("LZ4");
  const ByteView bytes(memory.bytes());
  return Unpacked{bytes, std::move(memory)};
}

Result<Unpacked> unpack_zstd(const CodeEntry& entry, BufferPool& pool) {
  const auto packed_size = static_cast<std::size_t>(entry.payload.size());
  const auto stated = ZSTD_getFrameContentSize(entry.payload.data(), packed_size);
  if (stated != static_cast<unsigned long long>(entry.unpacked_size)) return broken("zstd");
  BufferPool::Lease memory = pool.take(static_cast<std::size_t>(entry.unpacked_size));
  thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{ZSTD_createDCtx(),
                                                                                  &ZSTD_freeDCtx};
  const std::size_t written =
      ZSTD_decompressDCtx(context.get(), memory.bytes().data(), memory.bytes().size(),
                          entry.payload.data(), packed_size);
  if (ZSTD_isError(written) || static_cast<Bytes>(written) != entry.unpacked_size)
    return broken("zstd");
  const ByteView bytes(memory.bytes());
  return Unpacked{bytes, std::move(memory)};
}

}  // namespace

Result<Unpacked> unpack(const CodeEntry& entry, BufferPool& pool) {
  if (entry.packing == Packing::stored) return Unpacked{entry.payload, {}};
  const Bytes most =
      std::clamp(entry.payload.size() * kMaxUnpackRatio, kFreelyUnpacked, kMaxUnpacked);
  if (entry.unpacked_size < 0 || entry.unpacked_size > most)
    return Error{.what = fmt::format("entry says that it unpacks to {} bytes; at most {} are read",
                                     entry.unpacked_size, most),
                 .where = {},
                 .fix = {}};
  if (entry.payload.size() > kMaxUnpacked) return broken("packed");
  return entry.packing == Packing::lz4 ? unpack_lz4(entry, pool) : unpack_zstd(entry, pool);
}

}  // namespace tilefit
