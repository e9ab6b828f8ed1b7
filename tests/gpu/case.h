// SPDX-License-Identifier: Apache-2.0
// A grouped GEMM on the device with all the memory it names.
#pragma once

#include <algorithm>

#include "reference.h"
#include "tilefit/kernels/moe_sm90_kernels.cuh"

namespace tilefit::gpu_test {

inline constexpr int kRowCount = static_cast<int>(sm90_w4a16::kRows.size());

inline std::vector<std::int32_t> offsets(const std::vector<std::int32_t>& counts) {
  std::vector<std::int32_t> o{0};
  for (const std::int32_t c : counts) o.push_back(o.back() + c);
  return o;
}

inline moe::Weights shape(int experts, int n, int k, Dtype activation = Dtype::bf16) {
  return {.experts = experts, .n = n, .k = k, .split = n / 2, .activation = activation};
}

/// A grouped GEMM and all the memory it names.
struct Case {
  Quantised weights;
  std::vector<std::int32_t> host_rows;
  Device<std::int32_t> rows{0};
  Device<std::uint16_t> a{0};
  Device<float> out{0};  // large enough for every output type
  moe::Gemm gemm;
};

inline Case contiguous(const moe::Weights& w, const std::vector<std::int32_t>& counts,
                       ScaleMix mix = ScaleMix::usual) {
  Case c{.weights = random_weights(w, mix, 17), .host_rows = offsets(counts)};
  const std::int64_t total = c.host_rows.back();
  c.rows = Device<std::int32_t>(c.host_rows);
  c.a = random_activations(std::max<std::int64_t>(total, 1) * w.k, w.activation, 5);
  c.out = Device<float>(std::max<std::int64_t>(total, 1) * w.n);
  c.gemm.weights = c.weights.shape;
  c.gemm.a = c.a.get();
  c.gemm.a_stride = w.k;
  c.gemm.rows = c.rows.get();
  c.gemm.total_rows = total;
  c.gemm.out = c.out.get();
  c.gemm.out_stride = w.n;
  return c;
}

inline void run(const moe::Gemm& g) {
  const auto launched = moe::gemm(g, nullptr);
  ASSERT_TRUE(static_cast<bool>(launched)) << launched.error().what;
  ok(cudaDeviceSynchronize());
}

inline void expect_rows(const moe::Gemm& g, const Reference& r, std::int64_t first,
                        std::int64_t count) {
  const Difference d = compare(g, r, first, count, tolerance(g.out_type, 0));
  EXPECT_EQ(d.wrong, 0U) << "of " << d.compared << ", worst " << d.worst << " x what is allowed";
}

}  // namespace tilefit::gpu_test
