// SPDX-License-Identifier: Apache-2.0
// The copying role: the ring of stages, its barriers, and who fills it when.
#pragma once

#include "tilefit/kernels/moe_sm90_params.cuh"
#include "tilefit/kernels/moe_sm90_schedule.cuh"
#include "tilefit/kernels/ptx_sm90.cuh"

namespace tilefit::moe_sm90 {

/// Position in the ring of stages.
template <class I>
struct Ring {
  std::uint32_t base;  // of shared memory
  std::uint32_t stage = 0, parity = 0;
  __device__ __forceinline__ std::uint32_t full() const {
    return base + I::template offset<Part::pipeline_mainloop> + 8 * stage;
  }
  __device__ __forceinline__ std::uint32_t empty() const { return full() + 8 * I::tile.stages; }
  __device__ __forceinline__ std::uint32_t a() const {
    return base + I::template offset<Part::mainloop_a> + stage * I::a_stage;
  }
  __device__ __forceinline__ std::uint32_t b() const {
    return base + I::template offset<Part::mainloop_b> + stage * I::b_stage;
  }
  __device__ __forceinline__ void advance() {
    if (++stage == I::tile.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <class I>
__device__ __forceinline__ const std::byte* weight_tile(const Params& p, int expert, int n_tile) {
  const std::int64_t group = std::int64_t{expert} * p.weight_groups + n_tile * I::groups;
  return p.weights + group * p.k_blocks * sm90_w4a16::kGroupBytes;
}

inline constexpr int kLoadWarps = 4;

/// The tile that this block gets if every expert has rows for one token tile, and how many stages
/// of its weights are copied before the row counts are known. That hides the launch's latencies; a
/// wrong guess brings weights to L2 that another block needs soon.
struct Guess {
  int expert, n_tile, stages;
};
inline constexpr std::uint32_t kGuessBytes = 36864;  // measured: more delays the row counts
template <class I>
__device__ __forceinline__ Guess guess_tile(const Params& p) {
  constexpr int kStages =
      I::b_stage > kGuessBytes / 2 ? 2 : static_cast<int>(kGuessBytes / I::b_stage);
  const int block = static_cast<int>(blockIdx.x);
  const int expert = block / p.n_tiles, n_tile = block % p.n_tiles;
  return {expert, n_tile, expert < p.experts ? min(kStages, p.k_blocks) : 0};
}

template <class I>
__device__ __forceinline__ bool guessed_right(const Guess& guess, const Params& p,
                                              const Entry* list) {
  const int tile = static_cast<int>(blockIdx.x);
  if (tile >= list[p.experts].first_tile) return false;
  const Work work = work_at<I>(tile, p, list);
  return work.expert == guess.expert && work.n_tile == guess.n_tile;
}

/// Copies of one stage's weights; returns their bytes. One thread.
template <class I>
struct WeightSource {
  const std::byte* from;
  std::int64_t group_stride;
  int groups;
  __device__ __forceinline__ WeightSource(const Params& p, int expert, int n_tile)
      : from(weight_tile<I>(p, expert, n_tile)),
        group_stride(std::int64_t{p.k_blocks} * sm90_w4a16::kGroupBytes),
        groups(min(I::groups, p.weight_groups - n_tile * I::groups)) {}
  __device__ __forceinline__ std::uint32_t bytes() const {
    return static_cast<std::uint32_t>(groups) * static_cast<std::uint32_t>(sm90_w4a16::kGroupBytes);
  }
  __device__ __forceinline__ void copy(const Ring<I>& ring, int k, std::uint64_t policy) const {
    constexpr auto kGroup = static_cast<std::uint32_t>(sm90_w4a16::kGroupBytes);
    const std::byte* source = from + std::int64_t{k} * kGroup;
#pragma unroll
    for (int g = 0; g < I::groups; ++g)
      if (g < groups)
        ptx::copy_bulk(ring.b() + static_cast<std::uint32_t>(g) * kGroup, source + g * group_stride,
                       kGroup, ring.full(), policy);
  }
};

/// One thread, the one that initialised the barriers.
template <class I>
__device__ __forceinline__ void copy_guessed(const Guess& guess, const Params& p,
                                             std::uint32_t smem) {
  const WeightSource<I> weights(p, guess.expert, guess.n_tile);
  const std::uint64_t once = ptx::policy_evict_first();
  Ring<I> ring{smem};
  for (int s = 0; s < guess.stages; ++s, ring.advance()) {
    ptx::barrier_expect_more(ring.full(), weights.bytes());
    weights.copy(ring, s, once);
  }
}

/// One warp, after a wrong guess: lets its copies land and takes every stage through one phase.
/// Nobody may wait for a stage before that is done.
template <class I>
__device__ __forceinline__ void discard_guessed(std::uint32_t smem) {
  Ring<I> ring{smem};
  for (int s = 0; s < I::tile.stages; ++s, ring.advance()) {
    if (ptx::elect_one()) ptx::barrier_arrive(ring.full());
    ptx::barrier_wait(ring.full(), 0);
  }
}

template <class I>
__device__ __forceinline__ void load(const Params& p, const Entry* list, std::uint32_t smem,
                                     int turn, int guessed) {
  const std::uint64_t once = ptx::policy_evict_first(), again = ptx::policy_evict_last();
  Ring<I> ring{smem, 0, 1};
  const int tiles = list[p.experts].first_tile;
  for (int t = static_cast<int>(blockIdx.x); t < tiles;
       t += static_cast<int>(gridDim.x), guessed = 0) {
    const Work work = work_at<I>(t, p, list);
    const Width width = width_of<I>(work.width);
    const CUtensorMap* map = &p.activations[width.index];
    const auto half = 128U * static_cast<std::uint32_t>(width.tokens);
    const WeightSource<I> weights(p, work.expert, work.n_tile);
    for (int k = 0; k < p.k_blocks; ++k, ring.advance()) {
      turn = turn == 0 ? kLoadWarps - 1 : turn - 1;
      if (turn != kLoadWarps - 1) continue;
      ptx::barrier_wait(ring.empty(), ring.parity);
      if (ptx::elect_one()) {
        ptx::barrier_expect(ring.full(), 2 * half + (k < guessed ? 0 : weights.bytes()));
        if (k >= guessed) weights.copy(ring, k, work.weights_again ? again : once);
        ptx::copy_tensor(ring.a(), map, k * 128, work.first_row, ring.full(), again);
        ptx::copy_tensor(ring.a() + half, map, k * 128 + 64, work.first_row, ring.full(), again);
      }
      __syncwarp();
    }
  }
}

/// Tensor maps are fetched before the first copy needs one.
template <class I>
__device__ __forceinline__ void prefetch_maps(const Params& p) {
  for (std::size_t i = 0; i < I::widths; ++i) ptx::prefetch_map(&p.activations[i]);
}

template <class I>
__device__ __forceinline__ void init_barriers(std::uint32_t smem) {
  Ring<I> ring{smem};
  for (int s = 0; s < I::tile.stages; ++s, ring.advance()) {
    ptx::barrier_init(ring.full(), 1);
    ptx::barrier_init(ring.empty(), sm90_w4a16::kMmaWarpgroups * 4);
  }
  ptx::barrier_init_fence();
}

}  // namespace tilefit::moe_sm90
