// SPDX-License-Identifier: Apache-2.0
// The packed form of NVFP4 weights that the SM90 kernel reads, bit by bit. Host and device.
//
// [expert][group of 128 rows][128 of K][2 blocks of 64 rows], a block 4608 B (layout_sm90_w4a16.h):
//   codes   warp (4) x half of K (2) x lane (32) x 4 words; a word is one thread's 8 values of one
//           K = 16 step of the MMA, in A-fragment order, so a fragment is one 16-byte load
//   scales  warp (4) x row pair (8) x 4 words; a word serves two steps of rows g and g + 8
// then per expert two floats: the global scale of rows below `split` and of the rest.
//
// Unpacking a word x into four pairs of 16-bit floats takes three shifts, a rotate and four LOP3
// with one mask M (sign at bit 15, the 3 magnitude bits at the lowest exponent and top mantissa
// bits). No four plain shifts of M tile a word, so one pair is the XOR of two shifts: a map that is
// linear over GF(2) and invertible. The packer applies its inverse (kInverse).
// Scales are stored without subnormals: 5 bits of exponent (true + 22), 3 of mantissa; 255 is NaN;
// under a zero scale the codes are zeroed. Products then carry 2^-7, which the epilogue undoes.
//
// The 16 rows of a warp are permuted so that after a transpose each thread holds 4 neighbours in N.
#pragma once

#include <array>
#include <cstdint>

#include "tilefit/kernels/nvfp4.h"
#include "tilefit/plan/layout_sm90_w4a16.h"

namespace tilefit::packed_sm90 {

/// How the bits of one activation type are placed.
struct Bits {
  std::uint32_t mask;
  unsigned left1, left2, other2,
      rotate3;         // a1 = x<<left1; a2 = x<<left2 ^ other2; a3: see fields()
  unsigned magnitude;  // bit of the lowest magnitude bit in a half
  unsigned scale;      // bit of the lowest scale bit in a half
  bool fp16;
};
inline constexpr Bits kBf16{0x81C081C0U, 4, 6, 2, 6, 6, 4, false};
inline constexpr Bits kFp16{0x8E008E00U, 3, 7, 10, 4, 9, 7, true};

inline constexpr int kExponentBias = 22;
inline constexpr float kUndo = 128.0F;  // accumulators are 2^-7 of the product
inline constexpr std::uint32_t kNanScale = 0xFF;

constexpr std::uint32_t rotate_right(std::uint32_t x, unsigned n) {
  return x >> n | x << (32U - n);
}

struct Fields {
  std::uint32_t a[4];
};

/// The four fragment words of a packed word, before scaling; what the kernel computes.
template <Bits B>
constexpr Fields fields(std::uint32_t x) {
  const std::uint32_t second = x << B.left2;
  if constexpr (B.fp16)
    return {{x & B.mask, x << B.left1 & B.mask, (second ^ x << B.other2) & B.mask,
             (rotate_right(x, B.rotate3) ^ second) & B.mask}};
  else
    return {{x & B.mask, x << B.left1 & B.mask, (second ^ x >> B.other2) & B.mask,
             rotate_right(x, B.rotate3) & B.mask}};
}

/// Bit `i` of a word's payload is bit position[i % 8] of fields word i / 8.
template <Bits B>
constexpr std::array<unsigned, 8> positions() {
  std::array<unsigned, 8> p{};
  std::size_t n = 0;
  for (unsigned b = 0; b < 32; ++b)
    if (B.mask >> b & 1U) p[n++] = b;
  return p;
}

/// Column i: the word whose fields hold payload bit i alone. Gauss-Jordan over GF(2), 32 x 64.
template <Bits B>
consteval std::array<std::uint32_t, 32> inverse() {
  constexpr auto p = positions<B>();
  std::array<std::uint64_t, 32>
      rows{};  // row = payload bit: low half the word's bits, high the identity
  for (unsigned bit = 0; bit < 32; ++bit) {
    const Fields f = fields<B>(1U << bit);
    for (unsigned i = 0; i < 32; ++i)
      if (f.a[i / 8] >> p[i % 8] & 1U) rows[i] |= std::uint64_t{1} << bit;
  }
  for (unsigned i = 0; i < 32; ++i) rows[i] |= std::uint64_t{1} << (32 + i);
  for (unsigned c = 0; c < 32; ++c) {
    unsigned pivot = c;
    while (pivot < 32 && !(rows[pivot] >> c & 1U)) ++pivot;
    if (pivot == 32) throw "the fields do not cover the word: choose other shifts";
    const std::uint64_t t = rows[c];
    rows[c] = rows[pivot];
    rows[pivot] = t;
    for (unsigned r = 0; r < 32; ++r)
      if (r != c && (rows[r] >> c & 1U)) rows[r] ^= rows[c];
  }
  std::array<std::uint32_t, 32> columns{};
  for (unsigned word_bit = 0; word_bit < 32; ++word_bit)
    for (unsigned i = 0; i < 32; ++i)
      if (rows[word_bit] >> (32 + i) & 1U) columns[i] |= 1U << word_bit;
  return columns;
}
template <Bits B>
inline constexpr std::array<std::uint32_t, 32> kInverse = inverse<B>();

/// Two codes (low half, high half) as they stand in a field.
template <Bits B>
constexpr std::uint32_t field(std::uint32_t low, std::uint32_t high) {
  return ((low & 8U) << 12U | (low & 7U) << B.magnitude) |
         ((high & 8U) << 12U | (high & 7U) << B.magnitude) << 16U;
}
template <Bits B>
constexpr std::uint32_t code(std::uint32_t half) {
  return (half >> 12U & 8U) | (half >> B.magnitude & 7U);
}

/// Payload bits of four fields -> packed word, given the columns of the inverse.
template <Bits B, class Columns>
constexpr std::uint32_t pack_word(const Fields& f, const Columns& columns) {
  std::uint32_t x = 0;
  unsigned i = 0;
  for (const std::uint32_t a : f.a)
    for (unsigned b = 0; b < 32; ++b)
      if (B.mask >> b & 1U) {
        if (a >> b & 1U) x ^= columns[i];
        ++i;
      }
  return x;
}

constexpr std::uint32_t encode_scale(std::uint32_t scale) {
  if (nvfp4::scale_is_nan(scale)) return kNanScale;
  if (nvfp4::scale_is_zero(scale)) return 0;
  const nvfp4::Normal s = nvfp4::normal(scale);
  return static_cast<std::uint32_t>(s.exponent + kExponentBias) << 3U | s.mantissa;
}
constexpr std::uint32_t decode_scale(std::uint32_t byte) {
  if (byte == kNanScale) return 0x7F;
  if (byte == 0) return 0;
  const int exponent = static_cast<int>(byte >> 3U) - kExponentBias;
  if (exponent >= -6) return static_cast<std::uint32_t>(exponent + 7) << 3U | (byte & 7U);
  return (8U + (byte & 7U)) >> static_cast<unsigned>(-6 - exponent);
}

/// Scale bytes of rows g and g + 8 for an even step and the odd one after it -> one word.
template <Bits B>
constexpr std::uint32_t pack_scales(const std::uint32_t (&even)[2], const std::uint32_t (&odd)[2]) {
  const std::uint32_t e = even[0] << B.scale | even[1] << (B.scale + 16U);
  const std::uint32_t o = odd[0] << B.scale | odd[1] << (B.scale + 16U);
  return e | rotate_right(o, 8);
}
template <Bits B>
constexpr std::uint32_t unpack_scale(std::uint32_t word, int step, int upper) {
  const std::uint32_t w = step % 2 != 0 ? rotate_right(word, 24) : word;
  return w >> (B.scale + (upper != 0 ? 16U : 0U)) & 0xFFU;
}

/// Row within its warp's 16 that MMA row r (0..15) stands for.
constexpr int permuted_row(int r) { return r % 8 / 2 * 4 + r % 2 + (r >= 8 ? 2 : 0); }

/// Shape of the packed form: rows and K rounded up to whole groups and blocks.
struct Shape {
  int experts, n, k;
  constexpr int groups() const { return (n + sm90_w4a16::kGroupRows - 1) / sm90_w4a16::kGroupRows; }
  constexpr int k_blocks() const { return (k + sm90_w4a16::kBlockK - 1) / sm90_w4a16::kBlockK; }
  constexpr Bytes expert_bytes() const {
    return Bytes{groups()} * k_blocks() * sm90_w4a16::kGroupBytes;
  }
  constexpr Bytes global_scales_offset() const { return experts * expert_bytes(); }
  constexpr Bytes total() const { return global_scales_offset() + Bytes{experts} * 8; }
  /// Offset of block (64 rows, 128 k) within its expert.
  constexpr Bytes block_offset(int block_row, int k_block) const {
    return ((Bytes{block_row / 2} * k_blocks() + k_block) * 2 + block_row % 2) *
           sm90_w4a16::kBlockBytes;
  }
};

}  // namespace tilefit::packed_sm90
