// SPDX-License-Identifier: Apache-2.0
// Checkpoint tensors -> packed form, and back, on the host. The device form is pack_sm90.cu.
#include <cstring>
#include <string>

#include "tilefit/kernels/moe.h"
#include "tilefit/kernels/pack.h"

namespace tilefit::moe {
namespace {

using packed_sm90::Bits;
using packed_sm90::Fields;

/// One block of 64 rows x 128 k out of codes and scales that are read element by element.
template <Bits B>
void pack_block(const PackJob& job, int block_row, int k_block, std::uint8_t* to) {
  const auto& columns = packed_sm90::kInverse<B>;
  for (int thread = 0; thread < 256; ++thread) {
    std::uint32_t words[4];
    for (int s = 0; s < 4; ++s)
      words[s] =
          packed_sm90::pack_word<B>(fragment<B>(job, block_row, k_block, thread, s), columns);
    std::memcpy(to + thread * 16, words, 16);
  }
  for (int i = 0; i < 128; ++i) {
    const std::uint32_t word = scale_word<B>(job, block_row, k_block, i);
    std::memcpy(to + sm90_w4a16::kCodeBytes + i * 4, &word, 4);
  }
}

template <Bits B>
void pack_all(const PackJob& job, std::uint8_t* expert) {
  for (int r = 0; r < job.shape.groups() * 2; ++r)
    for (int kb = 0; kb < job.shape.k_blocks(); ++kb)
      pack_block<B>(job, r, kb, expert + job.shape.block_offset(r, kb));
}

/// The inverse of pack_block for rows and k inside the tensor.
template <Bits B>
void unpack_block(const std::uint8_t* from, const packed_sm90::Shape& shape, int block_row,
                  int k_block, const Unpacked& to) {
  for (int thread = 0; thread < 256; ++thread)
    for (int s = 0; s < 4; ++s) {
      std::uint32_t word;
      std::memcpy(&word, from + thread * 16 + s * 4, 4);
      const Fields f = packed_sm90::fields<B>(word);
      for (int i = 0; i < 4; ++i) {
        const Place at = fragment_place(block_row, k_block, thread, s, i);
        if (at.row >= shape.n || at.k >= shape.k) continue;
        const std::uint32_t pair =
            packed_sm90::code<B>(f.a[i] & 0xFFFFU) | packed_sm90::code<B>(f.a[i] >> 16U) << 4U;
        to.codes[static_cast<std::size_t>(std::int64_t{at.row} * (shape.k / 2) + at.k / 2)] =
            static_cast<std::uint8_t>(pair);
      }
    }
  for (int row = 0; row < sm90_w4a16::kBlockRows; ++row)
    for (int step = 0; step < 8; ++step) {
      const ScalePlace at = scale_place(row, step);
      std::uint32_t word;
      std::memcpy(&word, from + sm90_w4a16::kCodeBytes + at.word * 4, 4);
      const int n = block_row * sm90_w4a16::kBlockRows + row;
      const int column = k_block * 8 + step;
      if (n >= shape.n || column * 16 >= shape.k) continue;
      to.scales[static_cast<std::size_t>(std::int64_t{n} * (shape.k / 16) + column)] =
          static_cast<std::uint8_t>(
              packed_sm90::decode_scale(packed_sm90::unpack_scale<B>(word, step, at.upper)));
    }
}

template <Bits B>
void unpack_all(const std::uint8_t* expert, const packed_sm90::Shape& shape, const Unpacked& to) {
  for (int r = 0; r < shape.groups() * 2; ++r)
    for (int kb = 0; kb < shape.k_blocks(); ++kb)
      unpack_block<B>(expert + shape.block_offset(r, kb), shape, r, kb, to);
}

}  // namespace

Result<PackJob> pack_job(const Weights& shape, int expert, std::span<const Nvfp4Tensor> tensors,
                         const void* packed) {
  if (auto ok = packed_bytes(shape); !ok) return ok.error();
  if (expert < 0 || expert >= shape.experts)
    return Error{"expert is " + std::to_string(expert), "expert",
                 "0 to " + std::to_string(shape.experts - 1)};
  if (packed == nullptr) return Error{"null pointer", "packed", "packed_bytes() bytes"};
  if (tensors.empty() || tensors.size() > 2)
    return Error{std::to_string(tensors.size()) + " tensors", "tensors", "one, or gate and up"};
  PackJob job;
  job.shape = {shape.experts, shape.n, shape.k};
  job.split = tensors[0].rows;
  int rows = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Nvfp4Tensor& t = tensors[i < tensors.size() ? i : 0];
    if (t.codes == nullptr || t.scales == nullptr || t.global_scale == nullptr)
      return Error{"null pointer", "tensors[" + std::to_string(i) + "]",
                   "codes, scales and global_scale"};
    if (t.rows < 1 || t.first_row < 0 || t.first_row > (1 << 24) || t.rows > shape.n)
      return Error{"rows " + std::to_string(t.first_row) + " + " + std::to_string(t.rows),
                   "tensors[" + std::to_string(i) + "]", "rows of the tensor"};
    if (i < tensors.size()) rows += t.rows;
    job.tensors[i] = t;
  }
  if (rows != shape.n || job.split != shape.split)
    return Error{
        "tensors hold " + std::to_string(rows) + " rows, the first " + std::to_string(job.split),
        "tensors",
        "n = " + std::to_string(shape.n) +
            " rows, the first split = " + std::to_string(shape.split)};
  return job;
}

Result<Done> pack_expert_cpu(const Weights& shape, int expert, std::span<const Nvfp4Tensor> tensors,
                             void* packed) {
  const auto job = pack_job(shape, expert, tensors, packed);
  if (!job) return job.error();
  auto* base = static_cast<std::uint8_t*>(packed);
  std::uint8_t* to = base + expert * job->shape.expert_bytes();
  if (shape.activation == Dtype::fp16)
    pack_all<packed_sm90::kFp16>(*job, to);
  else
    pack_all<packed_sm90::kBf16>(*job, to);
  const float globals[2] = {global_multiplier(job->tensors[0]), global_multiplier(job->tensors[1])};
  std::memcpy(base + job->shape.global_scales_offset() + Bytes{expert} * 8, globals, 8);
  return Done{};
}

Result<Done> unpack_expert_cpu(const Weights& weights, int expert, const Unpacked& to) {
  if (auto ok = packed_bytes(weights); !ok) return ok.error();
  if (weights.packed == nullptr || expert < 0 || expert >= weights.experts)
    return Error{"expert is " + std::to_string(expert), "expert", "one of the packed experts"};
  const packed_sm90::Shape shape{weights.experts, weights.n, weights.k};
  const auto elements = static_cast<std::size_t>(Bytes{weights.n} * weights.k);
  if (to.codes.size() != elements / 2 || to.scales.size() != elements / 16)
    return Error{"spans of " + std::to_string(to.codes.size()) + " and " +
                     std::to_string(to.scales.size()) + " bytes",
                 "to", "n * k / 2 codes and n * k / 16 scales"};
  const auto* base = static_cast<const std::uint8_t*>(weights.packed);
  const std::uint8_t* from = base + expert * shape.expert_bytes();
  if (weights.activation == Dtype::fp16)
    unpack_all<packed_sm90::kFp16>(from, shape, to);
  else
    unpack_all<packed_sm90::kBf16>(from, shape, to);
  std::memcpy(to.globals.data(), base + shape.global_scales_offset() + Bytes{expert} * 8, 8);
  return Done{};
}

}  // namespace tilefit::moe
