// SPDX-License-Identifier: Apache-2.0
// The CPU reference against sums written out here from the checkpoint's own codes and scales.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tilefit/kernels/float16.h"
#include "tilefit/kernels/moe.h"

namespace tilefit::moe {
namespace {

/// Host memory whose first element is aligned as the checks ask.
template <class T>
class Aligned {
 public:
  explicit Aligned(std::size_t count) : bytes_(count * sizeof(T) + 256) {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes_.data());
    p_ = reinterpret_cast<T*>(bytes_.data() + (128 - at % 128) % 128);
  }
  T* get() const { return p_; }
  T& operator[](std::size_t i) const { return p_[i]; }

 private:
  std::vector<std::uint8_t> bytes_;
  T* p_;
};

struct Case {
  int experts, n, k, split;
  Dtype activation;
  std::vector<std::int32_t> counts;
  std::vector<std::uint8_t> codes, scales;
  std::vector<float> globals;
  Aligned<std::uint8_t> packed;
  Aligned<std::uint16_t> a;
  Aligned<float> out;
  std::vector<std::int32_t> offsets{0};
  Gemm gemm;

  Case(int experts_, int n_, int k_, Dtype type, std::vector<std::int32_t> counts_)
      : experts(experts_),
        n(n_),
        k(k_),
        split(n_ / 2),
        activation(type),
        counts(std::move(counts_)),
        codes(size(experts_ * n_ * k_ / 2)),
        scales(size(experts_ * n_ * k_ / 16)),
        packed(size(static_cast<int>(*packed_bytes(shape())))),
        a(size(rows() * k_) + 1),
        out(size(rows() * n_) + 1) {
    std::mt19937 random(3);
    for (auto& c : codes) c = static_cast<std::uint8_t>(random());
    for (auto& s : scales) s = static_cast<std::uint8_t>(random() % 127);
    for (int i = 0; i < 2 * experts; ++i) globals.push_back(0.5F + static_cast<float>(i));
    for (std::size_t i = 0; i < size(rows() * k); ++i) {
      const float x = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
      a[i] = type == Dtype::fp16 ? float16::to_fp16(x) : float16::to_bf16(x);
    }
    for (int e = 0; e < experts; ++e) pack(e);
    for (const auto c : counts) offsets.push_back(offsets.back() + c);
    gemm.weights = shape();
    gemm.weights.packed = packed.get();
    gemm.a = a.get();
    gemm.a_stride = k;
    gemm.rows = offsets.data();
    gemm.total_rows = rows();
    gemm.out = out.get();
    gemm.out_stride = n;
    gemm.out_type = Dtype::f32;
  }
  static std::size_t size(int x) { return static_cast<std::size_t>(x); }
  int rows() const {
    int sum = 0;
    for (const auto c : counts) sum += c;
    return sum;
  }
  Weights shape() const {
    return {.experts = experts, .n = n, .k = k, .split = split, .activation = activation};
  }
  void pack(int e) {
    Nvfp4Tensor gate{.codes = codes.data() + e * n * k / 2,
                     .scales = scales.data() + e * n * k / 16,
                     .global_scale = &globals[size(2 * e)],
                     .rows = split};
    Nvfp4Tensor up = gate;
    up.global_scale = &globals[size(2 * e + 1)];
    up.first_row = split;
    up.rows = n - split;
    const Nvfp4Tensor both[2] = {gate, up};
    EXPECT_TRUE(static_cast<bool>(pack_expert_cpu(shape(), e, both, packed.get())));
  }
  /// Row r of `a` times row c of expert e's weights.
  double product(int e, int r, int c) const {
    double sum = 0;
    for (int i = 0; i < k; ++i) {
      const std::size_t at = size((e * n + c) * k + i);
      const std::uint32_t pair = codes[at / 2];
      sum += static_cast<double>(nvfp4::e2m1(i % 2 != 0 ? pair >> 4U : pair & 15U) *
                                 nvfp4::ue4m3(scales[at / 16])) *
             static_cast<double>(float16::load(activation, a.get(), r * k + i));
    }
    return sum * static_cast<double>(globals[size(2 * e + (c < split ? 0 : 1))]);
  }
};

void expect_near(float got, double want) {
  ASSERT_NEAR(static_cast<double>(got), want, 1e-5 * (std::fabs(want) + 1)) << want;
}

TEST(GemmCpu, EveryRowCount) {
  for (const Dtype type : {Dtype::bf16, Dtype::fp16})
    for (const int m : {0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 129}) {
      Case c(2, 24, 48, type, {m, 3});
      ASSERT_TRUE(static_cast<bool>(gemm_cpu(c.gemm)));
      for (int r = 0; r < c.rows(); ++r)
        for (int n = 0; n < c.n; ++n)
          expect_near(c.out[Case::size(r * c.n + n)], c.product(r < m ? 0 : 1, r, n));
    }
}

TEST(GemmCpu, Masked) {
  Case c(3, 16, 32, Dtype::bf16, {5, 5, 5});
  const std::vector<std::int32_t> counts{2, 0, 9};  // 9 is clamped to max_rows
  c.gemm.layout = RowLayout::masked;
  c.gemm.max_rows = 5;
  c.gemm.rows = counts.data();
  for (std::size_t i = 0; i < 15 * 16; ++i) c.out[i] = -7;
  ASSERT_TRUE(static_cast<bool>(gemm_cpu(c.gemm)));
  for (int r = 0; r < 15; ++r)
    for (int n = 0; n < 16; ++n) {
      const bool written = r < 2 || r >= 10;
      if (written)
        expect_near(c.out[Case::size(r * 16 + n)], c.product(r / 5, r, n));
      else
        EXPECT_EQ(c.out[Case::size(r * 16 + n)], -7);
    }
}

TEST(GemmCpu, BiasAndFinalize) {
  Case c(2, 16, 32, Dtype::bf16, {3, 3});
  const std::vector<float> bias(32, 0.75F);
  const std::vector<std::int32_t> row_token{0, 1, 2, 2, 0, -1}, token_rows{0, 4, 1, -1, 2, 3};
  const std::vector<float> weight{0.5F, 1.0F, 0.25F, 2.0F, 1.5F, 9.0F};
  Aligned<std::uint8_t> workspace(6 * 16 * 4);
  c.gemm.bias = bias.data();
  c.gemm.bias_type = Dtype::f32;
  c.gemm.row_token = row_token.data();
  c.gemm.row_weight = weight.data();
  c.gemm.token_rows = token_rows.data();
  c.gemm.tokens = 3;
  c.gemm.top_k = 2;
  c.gemm.workspace = workspace.get();
  EXPECT_EQ(*workspace_bytes(c.gemm), 0);
  for (const Finalize mode : {Finalize::atomic, Finalize::deterministic}) {
    c.gemm.finalize = mode;
    for (std::size_t i = 0; i < 3 * 16; ++i) c.out[i] = 10;  // added to
    ASSERT_TRUE(static_cast<bool>(gemm_cpu(c.gemm)));
    for (int n = 0; n < 16; ++n)
      for (int t = 0; t < 3; ++t) {
        double want = 10;
        for (int r = 0; r < 6; ++r)
          if (row_token[Case::size(r)] == t)
            want += static_cast<double>(weight[Case::size(r)]) *
                    (c.product(r < 3 ? 0 : 1, r, n) + 0.75);
        expect_near(c.out[Case::size(t * 16 + n)], want);
      }
  }
  EXPECT_EQ(*workspace_bytes(c.gemm), 6 * 16 * 4);
}

TEST(GemmCpu, NanScaleMakesItsRowNan) {
  Case c(1, 16, 32, Dtype::bf16, {2});
  c.scales[3 * 2 + 1] = 0x7F;
  c.pack(0);
  ASSERT_TRUE(static_cast<bool>(gemm_cpu(c.gemm)));
  for (std::size_t n = 0; n < 16; ++n) EXPECT_EQ(std::isnan(c.out[n]), n == 3);
}

TEST(Float16, RoundTripsAndRounds) {
  for (std::uint32_t x = 0; x < 0x10000; ++x) {
    const auto h = static_cast<std::uint16_t>(x);
    if (!std::isnan(float16::from_bf16(h))) {
      EXPECT_EQ(float16::to_bf16(float16::from_bf16(h)), h);
    }
    if (!std::isnan(float16::from_fp16(h))) {
      EXPECT_EQ(float16::to_fp16(float16::from_fp16(h)), h);
    }
  }
  EXPECT_EQ(float16::to_fp16(65520.0F), 0x7C00);
  EXPECT_EQ(float16::to_fp16(1.0F + 0x1p-11F), 0x3C00) << "ties to even";
  EXPECT_EQ(float16::to_bf16(1.0F + 0x1p-8F), 0x3F80) << "ties to even";
}

}  // namespace
}  // namespace tilefit::moe
