// SPDX-License-Identifier: Apache-2.0
// Which (expert, weight tile, token tile) a block does next, from row counts on the device.
//
// Every block builds the same list in shared memory: experts with the widest tiles first, so that
// the last round is of the cheapest ones; experts without rows fall off its end. Blocks take tiles
// blockIdx.x, + gridDim.x, ... of the list. Neighbours share weights (token tiles of one weight
// tile), then activations (weight tiles of one group of token tiles), through L2.
#pragma once

#include "tilefit/kernels/moe_sm90_params.cuh"
#include "tilefit/kernels/ptx_sm90.cuh"

namespace tilefit::moe_sm90 {

/// One expert of the list. 16 bytes, as the plan says.
struct Entry {
  int first_tile, first_row, rows, expert;
};
static_assert(sizeof(Entry) == sm90_w4a16::kScheduleEntryBytes);

/// One tile of work.
struct Work {
  int expert, first_row, rows;  // rows of `a`; rows <= the tile's n
  int n_tile;
  int width;           // tile_rows() of the expert
  bool weights_again;  // other tiles read the same weights
};

/// Token tiles that go round together while weight tiles change.
inline constexpr int kTokenTilesTogether = 16;

template <class I>
__device__ __forceinline__ int token_tiles(int rows) {
  return (rows + I::tile.n - 1) / I::tile.n;
}

/// The narrowest MMA width for `tokens`, and its index in the row's list, which ends with tile.n.
struct Width {
  int index, tokens;
};
template <class I, std::size_t kIndex = 0>
__device__ __forceinline__ Width width_of(int tokens) {
  constexpr int kWidth = I::template width<kIndex>;
  if constexpr (kWidth < I::tile.n) {
    if (tokens > kWidth) return width_of<I, kIndex + 1>(tokens);
  }
  return {static_cast<int>(kIndex), kWidth};
}

__device__ __forceinline__ Entry expert_rows(const Params& p, int e) {
  int first = 0, rows = 0;
  if (p.max_rows >= 0) {
    first = e * p.max_rows;
    rows = min(max(p.rows[e], 0), p.max_rows);
  } else {
    first = min(max(p.rows[e], 0), p.total_rows);
    rows = max(min(p.rows[e + 1], p.total_rows) - first, 0);
  }
  return {0, first, rows, e};
}

/// Rows of each token tile of an expert but the last: an even split in steps of 8.
template <class I>
__device__ __forceinline__ int tile_rows(int rows) {
  const int tiles = max(token_tiles<I>(rows), 1);
  return (rows + 8 * tiles - 1) / (8 * tiles) * 8;
}

/// What the list is sorted by, downwards; experts of equal key keep their order.
template <class I>
__device__ __forceinline__ int sort_key(int rows) {
  return rows > 0 ? width_of<I>(tile_rows<I>(rows)).index + 1 : 0;
}

/// Exclusive prefix sum of first_tile (which holds counts) by one warp; entry [experts] gets the
/// sum.
__device__ __forceinline__ void scan(Entry* list, int experts, int lane) {
  int carry = 0;
  for (int base = 0; base <= experts; base += 32) {
    const int i = base + lane;
    const int count = i < experts ? list[i].first_tile : 0;
    int sum = count;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const int other = __shfl_up_sync(~0U, sum, d);
      if (lane >= d) sum += other;
    }
    if (i <= experts) list[i].first_tile = carry + sum - count;
    carry += __shfl_sync(~0U, sum, 31);
  }
}

/// All threads. Sort keys go through the list's own memory.
template <class I>
__device__ __forceinline__ void build_schedule(const Params& p, Entry* list) {
  constexpr int kPerThread = (sm90_w4a16::kMaxExperts + I::threads - 1) / I::threads;
  Entry mine[kPerThread];
  bool uneven = false;
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const int e = static_cast<int>(threadIdx.x) + j * I::threads;
    if (e >= p.experts) continue;
    mine[j] = expert_rows(p, e);
    const int key = sort_key<I>(mine[j].rows);
    list[e].rows = key;
    // Against its neighbour, so that only threads with an expert ask for counts.
    const int next = expert_rows(p, min(e + 1, p.experts - 1)).rows;
    uneven |= key != sort_key<I>(next) || token_tiles<I>(mine[j].rows) != token_tiles<I>(next);
  }
  const bool sort = __syncthreads_or(uneven);
  int rank[kPerThread];
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const int e = static_cast<int>(threadIdx.x) + j * I::threads;
    rank[j] = e;
    if (!sort || e >= p.experts) continue;
    const int key = sort_key<I>(mine[j].rows);
    rank[j] = 0;
    for (int other = 0; other < p.experts; ++other)
      rank[j] += list[other].rows > key || (list[other].rows == key && other < e);
  }
  if (sort) __syncthreads();  // all keys were read
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    const int e = static_cast<int>(threadIdx.x) + j * I::threads;
    if (e >= p.experts) continue;
    const int tiles = token_tiles<I>(mine[j].rows) * p.n_tiles;
    mine[j].first_tile = sort ? tiles : e * tiles;
    list[rank[j]] = mine[j];
    if (!sort && e == 0) list[p.experts] = {p.experts * tiles, 0, 0, 0};
  }
  __syncthreads();
  if (!sort) return;
  if (threadIdx.x < 32) scan(list, p.experts, static_cast<int>(threadIdx.x));
  __syncthreads();
}

/// Tile `tile` of the list; called by whole warps, which look at 32 experts together.
template <class I>
__device__ __forceinline__ Work work_at(int tile, const Params& p, const Entry* list) {
  int entry = 0;
  for (;;) {
    const int i = entry + 1 + ptx::thread_index() % 32;
    const unsigned ballot = __ballot_sync(~0U, i <= p.experts && list[i].first_tile <= tile);
    entry += __popc(ballot);
    if (ballot != ~0U) break;
  }
  const Entry e = list[entry];
  const auto local = static_cast<unsigned>(tile - e.first_tile);
  const auto tokens = static_cast<unsigned>(token_tiles<I>(e.rows));
  if (tokens == 1)
    return {e.expert, e.first_row, e.rows, static_cast<int>(local), tile_rows<I>(e.rows), false};
  const unsigned n_tiles = static_cast<unsigned>(p.n_tiles);
  const unsigned round = local / (kTokenTilesTogether * n_tiles);
  const unsigned in_round = local % (kTokenTilesTogether * n_tiles);
  const unsigned wide =
      min(static_cast<unsigned>(kTokenTilesTogether), tokens - round * kTokenTilesTogether);
  const auto token_tile = static_cast<int>(round * kTokenTilesTogether + in_round % wide);
  const int width = tile_rows<I>(e.rows);
  const int begin = min(token_tile * width, e.rows);
  return {e.expert,
          e.first_row + begin,
          min(width, e.rows - begin),
          static_cast<int>(in_round / wide),
          width,
          true};
}

}  // namespace tilefit::moe_sm90
