// SPDX-License-Identifier: Apache-2.0
// Any text as PTX: kernels with sizes that are no less than nothing, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tilefit/read/ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tilefit::ByteView text({reinterpret_cast<const std::byte*>(data), size});
  (void)tilefit::looks_like_ptx(text);
  if (const auto ptx = tilefit::read_ptx(text))
    for (const auto& kernel : ptx->kernels)
      if (kernel.facts.static_smem < 0) std::abort();
  return 0;
}
