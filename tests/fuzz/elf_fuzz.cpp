// SPDX-License-Identifier: Apache-2.0
// Any bytes as a cubin, and as a program: facts whose names lie in the input, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tilefit/read/container.h"
#include "tilefit/read/cubin.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tilefit::ByteView file({reinterpret_cast<const std::byte*>(data), size});
  if (const auto cubin = tilefit::read_cubin(file)) {
    tilefit::Bytes names = 0;
    for (const auto& f : cubin->functions) names += static_cast<tilefit::Bytes>(f.name.size());
    if (names > tilefit::name_budget(file)) std::abort();
  }
  (void)tilefit::read_container(file, [](tilefit::ByteView) {});
  return 0;
}
