// SPDX-License-Identifier: Apache-2.0
// Where each element of a packed block comes from; shared by the host's and the device's packer.
#pragma once

#include <cstdint>
#include <span>

#include "tilefit/kernels/moe.h"
#include "tilefit/kernels/packed_sm90.h"

namespace tilefit::moe {

struct PackJob {
  packed_sm90::Shape shape{};
  int split = 0;
  Nvfp4Tensor tensors[2]{};  // rows below split come from the first, the rest from the second
};

/// Checks the tensors of one expert against the shape.
Result<PackJob> pack_job(const Weights& shape, int expert, std::span<const Nvfp4Tensor> tensors,
                         const void* packed);

struct Place {
  int row, k;
};

/// The element that a thread's field i of step s (of its half of K) starts with.
constexpr Place fragment_place(int block_row, int k_block, int thread, int s, int i) {
  const int warp = thread / 64, half = thread / 32 % 2, lane = thread % 32;
  const int row = packed_sm90::permuted_row(lane / 4 + 8 * (i % 2));
  return {block_row * sm90_w4a16::kBlockRows + warp * 16 + row,
          k_block * sm90_w4a16::kBlockK + half * 64 + s * 16 + lane % 4 * 2 + 8 * (i / 2)};
}

/// Which word of a block's scales, and which half of it, holds (row of the block, step of K).
struct ScalePlace {
  int word, upper;
};
constexpr ScalePlace scale_place(int row, int step) {
  const int in_warp = row % 16;
  const int upper = in_warp / 2 % 2;
  const int pair = in_warp / 4 * 2 + in_warp % 2;
  return {row / 16 * 32 + pair * 4 + step / 2, upper};
}

/// Scale byte of (row, column of 16); padding has scale zero.
constexpr std::uint32_t scale_at(const PackJob& job, int row, int column) {
  const int columns = job.shape.k / sm90_w4a16::kScaleVector;
  if (row >= job.shape.n || column >= columns) return 0;
  const Nvfp4Tensor& t = job.tensors[row < job.split ? 0 : 1];
  const std::int64_t r = t.first_row + (row < job.split ? row : row - job.split);
  const std::int64_t at = t.order == Nvfp4Tensor::Scales::linear
                              ? r * columns + column
                              : nvfp4::swizzled_128x4(r, column, columns);
  return t.scales[at] & 0x7FU;
}

/// Two neighbouring codes, low nibble first; zero under a zero scale.
constexpr std::uint32_t codes_at(const PackJob& job, int row, int k) {
  if (scale_at(job, row, k / sm90_w4a16::kScaleVector) == 0) return 0;
  const Nvfp4Tensor& t = job.tensors[row < job.split ? 0 : 1];
  const std::int64_t r = t.first_row + (row < job.split ? row : row - job.split);
  return t.codes[r * (job.shape.k / 2) + k / 2];
}

template <packed_sm90::Bits B>
constexpr packed_sm90::Fields fragment(const PackJob& job, int block_row, int k_block, int thread,
                                       int s) {
  packed_sm90::Fields f{};
  for (int i = 0; i < 4; ++i) {
    const Place at = fragment_place(block_row, k_block, thread, s, i);
    const std::uint32_t pair = codes_at(job, at.row, at.k);
    f.a[i] = packed_sm90::field<B>(pair & 15U, pair >> 4U);
  }
  return f;
}

/// Word i (warp, row pair, two steps) of a block's scales.
template <packed_sm90::Bits B>
constexpr std::uint32_t scale_word(const PackJob& job, int block_row, int k_block, int i) {
  const int warp = i / 32, pair = i / 4 % 8, column = k_block * 8 + i % 4 * 2;
  std::uint32_t even[2]{}, odd[2]{};
  for (int upper = 0; upper < 2; ++upper) {
    const int row = block_row * sm90_w4a16::kBlockRows + warp * 16 +
                    packed_sm90::permuted_row(pair + 8 * upper);
    even[upper] = packed_sm90::encode_scale(scale_at(job, row, column));
    odd[upper] = packed_sm90::encode_scale(scale_at(job, row, column + 1));
  }
  return packed_sm90::pack_scales<B>(even, odd);
}

constexpr float global_multiplier(const Nvfp4Tensor& t) {
  return t.global == Nvfp4Tensor::Global::divisor ? 1.0F / *t.global_scale : *t.global_scale;
}

}  // namespace tilefit::moe
