// SPDX-License-Identifier: Apache-2.0
// Packing: every code under every scale comes back, from each checkpoint format and scale order.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

struct Tensor {
  std::vector<std::uint8_t> codes, scales;
};

/// Random codes; scales run through all 256 bytes.
Tensor make(int rows, int k) {
  std::mt19937 random(static_cast<unsigned>(rows * k));
  Tensor t{std::vector<std::uint8_t>(static_cast<std::size_t>(rows * k / 2)),
           std::vector<std::uint8_t>(static_cast<std::size_t>(rows * k / 16))};
  for (auto& c : t.codes) c = static_cast<std::uint8_t>(random());
  for (std::size_t i = 0; i < t.scales.size(); ++i) t.scales[i] = static_cast<std::uint8_t>(i * 37);
  return t;
}

/// What unpacking gives: bit 7 of a scale is dropped, codes under a zero scale are zero.
Tensor canonical(Tensor t) {
  for (auto& s : t.scales) s &= 0x7F;
  for (std::size_t i = 0; i < t.codes.size(); ++i)
    if (t.scales[i / 8] == 0) t.codes[i] = 0;
  return t;
}

std::vector<std::uint8_t> swizzled(const Tensor& t, int rows, int k) {
  const int columns = k / 16;
  std::vector<std::uint8_t> out(
      static_cast<std::size_t>((rows + 127) / 128 * 128 * ((columns + 3) / 4 * 4)), 0xAA);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      out[static_cast<std::size_t>(nvfp4::swizzled_128x4(r, c, columns))] =
          t.scales[static_cast<std::size_t>(r * columns + c)];
  return out;
}

struct Back {
  Tensor tensor;
  float globals[2];
};

Back round_trip(const Weights& shape, std::span<const Nvfp4Tensor> tensors) {
  std::vector<std::uint8_t> packed(static_cast<std::size_t>(*packed_bytes(shape)), 0xEE);
  Weights w = shape;
  w.packed = packed.data();
  const int last = shape.experts - 1;
  const auto done = pack_expert_cpu(shape, last, tensors, packed.data());
  EXPECT_TRUE(static_cast<bool>(done)) << done.error().what;
  Back b{{std::vector<std::uint8_t>(static_cast<std::size_t>(shape.n * shape.k / 2)),
          std::vector<std::uint8_t>(static_cast<std::size_t>(shape.n * shape.k / 16))},
         {}};
  EXPECT_TRUE(static_cast<bool>(unpack_expert_cpu(
      w, last, {b.tensor.codes, b.tensor.scales, std::span<float, 2>(b.globals)})));
  return b;
}

TEST(Pack, RoundTrip) {
  for (const Dtype type : {Dtype::bf16, Dtype::fp16})
    for (const auto& [n, k] :
         {std::pair{8, 16}, {64, 128}, {128, 128}, {136, 144}, {200, 336}, {512, 512}}) {
      SCOPED_TRACE(testing::Message() << name(type) << " " << n << " x " << k);
      const Tensor t = make(n, k);
      const float global = 0.125F;
      const Nvfp4Tensor whole{
          .codes = t.codes.data(), .scales = t.scales.data(), .global_scale = &global, .rows = n};
      const Back b =
          round_trip({.experts = 2, .n = n, .k = k, .split = n, .activation = type}, {&whole, 1});
      EXPECT_EQ(b.tensor.codes, canonical(t).codes);
      EXPECT_EQ(b.tensor.scales, canonical(t).scales);
      EXPECT_EQ(b.globals[0], global);
    }
}

TEST(Pack, GateAndUpOfEachFormatAndOrder) {
  constexpr int kN = 200, kK = 96, kSplit = 72;
  const Tensor t = make(kN, kK);
  const auto order = swizzled(t, kN, kK);
  const float gate = 4.0F, up = 0.5F;
  for (const bool swizzle : {false, true}) {
    Nvfp4Tensor first{.codes = t.codes.data(),
                      .scales = swizzle ? order.data() : t.scales.data(),
                      .global_scale = &gate,
                      .rows = kSplit};
    if (swizzle) first.order = Nvfp4Tensor::Scales::swizzled_128x4;
    Nvfp4Tensor second = first;
    second.global_scale = &up;
    second.first_row = kSplit;
    second.rows = kN - kSplit;
    first.global = Nvfp4Tensor::Global::divisor;  // compressed-tensors
    const Nvfp4Tensor both[2] = {first, second};
    const Back b = round_trip({.experts = 1, .n = kN, .k = kK, .split = kSplit}, both);
    EXPECT_EQ(b.tensor.codes, canonical(t).codes);
    EXPECT_EQ(b.tensor.scales, canonical(t).scales);
    EXPECT_EQ(b.globals[0], 0.25F);
    EXPECT_EQ(b.globals[1], 0.5F);
  }
}

TEST(Pack, EveryScaleKeepsItsValue) {
  for (std::uint32_t s = 0; s < 128; ++s)
    EXPECT_EQ(packed_sm90::decode_scale(packed_sm90::encode_scale(s)), s);
  EXPECT_EQ(packed_sm90::encode_scale(0x80), 0U) << "minus zero";
  EXPECT_EQ(packed_sm90::encode_scale(0xFF), packed_sm90::kNanScale);
  EXPECT_EQ(nvfp4::ue4m3(0x7E), 448.0F);
  EXPECT_EQ(nvfp4::ue4m3(0x01), 0x1p-9F);
}

/// Weight code of the formula printed for vLLM's swizzle_blockscale, on its smallest odd case.
TEST(Pack, SwizzleIsABijection) {
  std::vector<bool> seen(256 * 12, false);
  for (int r = 0; r < 256; ++r)
    for (int c = 0; c < 12; ++c)
      seen[static_cast<std::size_t>(nvfp4::swizzled_128x4(r, c, 12))] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 256 * 12);
  EXPECT_EQ(nvfp4::swizzled_128x4(33, 5, 12), 512 + 16 + 4 + 1);
}

TEST(Pack, RefusesWhatDoesNotFit) {
  const Tensor t = make(64, 128);
  const float one = 1;
  std::vector<std::uint8_t> to(1 << 20);
  const Weights w{.experts = 1, .n = 64, .k = 128, .split = 64};
  Nvfp4Tensor short_tensor{
      .codes = t.codes.data(), .scales = t.scales.data(), .global_scale = &one, .rows = 32};
  EXPECT_EQ(pack_expert_cpu(w, 0, {&short_tensor, 1}, to.data()).error().where, "tensors");
  short_tensor.rows = 64;
  EXPECT_EQ(pack_expert_cpu(w, 1, {&short_tensor, 1}, to.data()).error().where, "expert");
  short_tensor.codes = nullptr;
  EXPECT_EQ(pack_expert_cpu(w, 0, {&short_tensor, 1}, to.data()).error().where, "tensors[0]");
  EXPECT_EQ(packed_bytes({.experts = 1, .n = 60, .k = 128, .split = 60}).error().where,
            "weights.n");
  EXPECT_EQ(packed_bytes({.experts = 1, .n = 64, .k = 24, .split = 64}).error().where, "weights.k");
}

}  // namespace
}  // namespace tilefit::moe
