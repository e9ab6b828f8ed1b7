// SPDX-License-Identifier: Apache-2.0
// Any bytes as a run of fatbins: entries that lie in the input, each unpacked and read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "tilefit/read/fatbin.h"
#include "tilefit/read/read_entry.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tilefit::ByteView run({reinterpret_cast<const std::byte*>(data), size});
  tilefit::CodeList list;
  for (std::optional<tilefit::Bytes> at = 0; at; at = tilefit::read_fatbin(run, *at, 0, list)) {
  }
  static tilefit::BufferPool pool(std::size_t{16} << 20);
  for (const tilefit::CodeEntry& entry : list.entries) {
    if (entry.at < 0 || entry.at >= run.size()) std::abort();
    if (entry.unpacked_size > (tilefit::Bytes{1} << 24)) continue;  // slow, not wrong
    (void)tilefit::read_entry(entry, pool);
  }
  return 0;
}
