// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/launch.h"

namespace tilefit {
namespace {

constexpr int kWarp = 32;

/// Registers that a block takes: whole warps, each warp's share rounded up to the granularity,
/// warps rounded up to the sub-partitions of an SM.
Bytes registers_of_block(int registers, int threads, const Arch& arch) {
  const Bytes warps = round_up((threads + kWarp - 1) / kWarp, arch.sub_partitions);
  return warps * round_up(Bytes{registers} * kWarp, arch.register_granularity);
}

}  // namespace

Launch will_launch(Bytes static_bytes, Bytes dynamic_bytes, int registers, int threads,
                   const Arch& arch) {
  constexpr Bytes kMost = Bytes{1} << 40;
  if (static_bytes < 0 || dynamic_bytes < 0 || registers < 0 || threads < 1 ||
      static_bytes > kMost || dynamic_bytes > kMost)
    return {Outcome::rejected, "a size is negative or absurd, or there is no thread"};
  if (threads > arch.threads_per_block)
    return {Outcome::rejected, "more threads than a block may have", threads,
            arch.threads_per_block};
  if (registers > arch.registers_per_thread)
    return {Outcome::too_many_registers, "more registers than a thread may have", registers,
            arch.registers_per_thread};
  if (const Bytes block = registers_of_block(registers, threads, arch);
      block > arch.registers_per_block)
    return {Outcome::too_many_registers, "registers x threads exceed the register file", block,
            arch.registers_per_block};
  const Bytes bytes = static_bytes + dynamic_bytes;
  if (arch.smem_per_block == 0)
    return {Outcome::unknown, "the shared memory limit of this architecture is not known", bytes,
            0};
  if (bytes > arch.smem_per_block)
    return {Outcome::over_limit, "more shared memory than a block may have", bytes,
            arch.smem_per_block};
  const bool opt_in = dynamic_bytes > 0 && bytes > arch.smem_default;
  return {Outcome::fits, "", bytes, arch.smem_per_block, opt_in};
}

}  // namespace tilefit
