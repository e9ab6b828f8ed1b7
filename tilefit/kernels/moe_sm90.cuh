// SPDX-License-Identifier: Apache-2.0
// The SM90 grouped GEMM: NVFP4 weights unpacked in registers into the A fragments of wgmma.
//
//   warps 0-7   two warpgroups of MMA: each owns tile.m / 2 weight rows of the tile
//   warps 8-11  one lane of each starts every fourth stage's copies: weights in bulk, activations
//               through a tensor map
//
// A stage holds 128 of K: activations as two 128-byte-swizzled halves [tokens][64], weights as
// packed blocks (packed_sm90.h). Fragments are double buffered, so that one half's MMAs run while
// the next half is unpacked. The shared-memory map is layout_sm90_w4a16.h's.
#pragma once

#include <utility>

#include "tilefit/kernels/moe_sm90_load.cuh"
#include "tilefit/kernels/moe_sm90_params.cuh"
#include "tilefit/kernels/moe_sm90_schedule.cuh"
#include "tilefit/kernels/moe_sm90_store.cuh"
#include "tilefit/kernels/moe_sm90_unpack.cuh"
#include "tilefit/kernels/packed_sm90.h"
#include "tilefit/kernels/ptx_sm90.cuh"
#include "tilefit/kernels/wgmma_sm90.cuh"

namespace tilefit::moe_sm90 {

/// One arrival a warp: its reads of the stage are over.
__device__ __forceinline__ void release(std::uint32_t barrier) {
  if (ptx::thread_index() % 32 == 0) ptx::barrier_arrive(barrier);
}

/// A tile and the index of its MMA width; -1 past the last tile.
struct Next {
  Work work;
  int width;
};
template <class I>
__device__ __forceinline__ Next next_tile(int t, const Params& p, const Entry* list) {
  if (t >= list[p.experts].first_tile) return {{}, -1};
  const Work work = work_at<I>(t, p, list);
  return {work, width_of<I>(work.width).index};
}

/// One warpgroup: all of K for one tile of kTokens columns, then its epilogue. Returns what
/// `after`, the tile after it, is: the last MMAs run while that is looked up.
template <class I, int kTokens>
__device__ __forceinline__ Next mma(const Params& p, const Entry* list, const Work& work, int after,
                                    Ring<I>& ring) {
  constexpr std::uint64_t kDescriptor = 0x4000004000000000ULL;  // 128-byte swizzle, 1024 B a group
  const Reader reader = make_reader<I>(ptx::thread_index());
  const Global global = global_scales(p, work.expert);
  const RowInfo<kTokens> info = row_info<kTokens>(p, work);
  float acc[I::blocks][kTokens / 2] = {};
  std::uint32_t fragment[2][16] = {};
  std::uint32_t drained = ring.empty();

  ptx::barrier_wait(ring.full(), ring.parity);
  Raw raw = read_half(reader, ring.b(), 0, 0);
  for (int k = 0; k < p.k_blocks; ++k) {
    Ring<I> ahead_ring = ring;
    if (k + 1 < p.k_blocks)
      ahead_ring.advance();  // after the last stage, itself: it is there to be read
    const std::uint32_t tokens = ring.a() >> 4;
    Raw first_of_next{};
#pragma unroll
    for (int chunk = 0; chunk < 2 * I::blocks; ++chunk) {
      const int block = chunk / 2, half = chunk % 2;
      Raw ahead = first_of_next;
      if (chunk + 1 < 2 * I::blocks)
        ahead = read_half(reader, ring.b(), (chunk + 1) / 2, (chunk + 1) % 2);
      if (chunk + 2 == 2 * I::blocks) {
        ptx::barrier_wait(ahead_ring.full(), ahead_ring.parity);
        first_of_next = read_half(reader, ahead_ring.b(), 0, 0);
      }
      ptx::mma_wait<1>();
      keep(fragment[half]);
      // That wait retired every MMA of the stage before, once two groups of this one are out.
      if (chunk == 1 && k > 0) release(drained);
      unpack_half<I>(raw, fragment[half]);
      ptx::mma_fence();
#pragma unroll
      for (int step = 0; step < 4; ++step)
        ptx::Mma<kTokens, I::fp16>::run(
            acc[block], fragment[half] + 4 * step,
            kDescriptor |
                static_cast<std::uint64_t>(tokens + half * (kTokens * 128 >> 4) + 2 * step));
      ptx::mma_commit();
      raw = ahead;
    }
    drained = ring.empty();
    if (k + 1 == p.k_blocks)
      ring.advance();
    else
      ring = ahead_ring;
  }
  Next next{};
  if constexpr (I::blocks == 4) next = next_tile<I>(after, p, list);
  ptx::mma_wait<0>();
  keep(fragment[0]);
  keep(fragment[1]);
  release(drained);
  store<I, kTokens>(p, work, global, info, acc);
  if constexpr (I::blocks != 4) next = next_tile<I>(after, p, list);
  return next;
}

/// One warpgroup, every tile of this block. The list has the widest tiles first, so that one loop
/// after the other does; a switch inside one loop costs ptxas more registers than there are.
template <class I, std::size_t kIndex = I::widths - 1>
__device__ __forceinline__ void mma_tiles(const Params& p, const Entry* list, int t, Next next,
                                          Ring<I>& ring) {
  while (next.width == static_cast<int>(kIndex)) {
    t += static_cast<int>(gridDim.x);
    next = mma<I, I::template width<kIndex>>(p, list, next.work, t, ring);
  }
  if constexpr (kIndex > 0) mma_tiles<I, kIndex - 1>(p, list, t, next, ring);
}

template <class I>
__global__ void __launch_bounds__(I::threads, I::row.blocks_per_sm)
    grouped_gemm(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) std::byte storage[];
  const std::uint32_t smem = ptx::shared_address(storage);
  const int warp = __shfl_sync(~0U, static_cast<int>(threadIdx.x) / 32, 0);
  auto* list = reinterpret_cast<Entry*>(storage + I::template offset<Part::scheduler_storage>);
  ptx::let_next_kernel_start();
  const Guess guess = guess_tile<I>(p);
  if (threadIdx.x == I::mma_threads) {
    init_barriers<I>(smem);
    copy_guessed<I>(guess, p, smem);
  }
  if (threadIdx.x == I::mma_threads + 64) prefetch_maps<I>(p);
  ptx::wait_for_previous_kernel();
  build_schedule<I>(p, list);
  const bool hit = guessed_right<I>(guess, p, list), missed = guess.stages > 0 && !hit;
  if (missed) {
    if (warp == I::mma_threads / 32) discard_guessed<I>(smem);
    __syncthreads();
  }
  if (warp >= I::mma_threads / 32) {
    ptx::give_registers<I::row.load_registers>();
    load<I>(p, list, smem, warp - I::mma_threads / 32, hit ? guess.stages : 0);
  } else {
    ptx::take_registers<I::row.mma_registers>();
    Ring<I> ring{smem, 0, missed ? 1U : 0U};
    const int t = static_cast<int>(blockIdx.x);
    mma_tiles<I>(p, list, t, next_tile<I>(t, p, list), ring);
  }
}

template <class I>
Kernel make_kernel() {
  return {.function = grouped_gemm<I>,
          .tile = I::tile,
          .threads = I::threads,
          .blocks_per_sm = I::row.blocks_per_sm,
          .smem_bytes = I::plan.total,
          .token_widths = I::row.token_widths};
}

/// The rows of the table as launchable kernels.
template <bool kFp16, std::size_t... kRow>
std::array<Kernel, sizeof...(kRow)> make_kernels(std::index_sequence<kRow...>) {
  return {make_kernel<Instance<kRow, kFp16>>()...};
}

}  // namespace tilefit::moe_sm90
