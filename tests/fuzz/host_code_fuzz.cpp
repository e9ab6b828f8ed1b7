// SPDX-License-Identifier: Apache-2.0
// Any bytes as a host program: every kernel that is found has a name inside of the file and sizes
// that a launch could ask for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tilefit/read/host_code.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tilefit::ByteView file(std::span(reinterpret_cast<const std::byte*>(data), size));
  const auto elf = tilefit::read_elf(file);
  if (!elf) return 0;
  const tilefit::HostCode code = tilefit::read_host_code(*elf);
  for (const tilefit::HostKernel& kernel : code.kernels) {
    const auto* name = reinterpret_cast<const std::byte*>(kernel.symbol.data());
    if (name < file.data() || name + kernel.symbol.size() > file.data() + file.size()) std::abort();
    for (const tilefit::HostValueSeen& seen : kernel.seen) {
      if (seen.bytes < 0) std::abort();
    }
    tilefit::dynamic_smem(kernel);
  }
  return 0;
}
