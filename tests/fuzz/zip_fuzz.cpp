// SPDX-License-Identifier: Apache-2.0
// Any bytes as a zip file: its members inflated within bounds, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tilefit/read/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto zip =
      tilefit::Zip::open(tilefit::ByteView({reinterpret_cast<const std::byte*>(data), size}));
  if (!zip) return 0;
  for (const tilefit::ZipMember& member : zip->members()) {
    tilefit::Bytes taken = 0;
    (void)zip->read(member, [&](std::span<const std::byte> piece) {
      taken += static_cast<tilefit::Bytes>(piece.size());
      return taken < (tilefit::Bytes{1} << 22);
    });
  }
  return 0;
}
