// SPDX-License-Identifier: Apache-2.0
// Device data for the kernel tests: random quantised weights, a plain fp32 product of them, and a
// comparison of all outputs.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tilefit/kernels/moe.h"

namespace tilefit::gpu_test {

inline void ok(cudaError_t code) { ASSERT_EQ(code, cudaSuccess) << cudaGetErrorString(code); }

/// Device memory of `count` T.
template <class T>
class Device {
 public:
  explicit Device(std::int64_t count = 0) : count_(count) {
    if (count > 0) ok(cudaMalloc(&p_, static_cast<std::size_t>(count) * sizeof(T)));
  }
  explicit Device(const std::vector<T>& values) : Device(static_cast<std::int64_t>(values.size())) {
    if (!values.empty())
      ok(cudaMemcpy(p_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  Device(Device&& other) noexcept
      : p_(std::exchange(other.p_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Device& operator=(Device&& other) noexcept {
    std::swap(p_, other.p_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Device() { cudaFree(p_); }
  T* get() const { return p_; }
  std::int64_t size() const { return count_; }
  void fill(int byte) { ok(cudaMemset(p_, byte, static_cast<std::size_t>(count_) * sizeof(T))); }
  std::vector<T> host() const {
    std::vector<T> v(static_cast<std::size_t>(count_));
    if (count_ > 0) ok(cudaMemcpy(v.data(), p_, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }

 private:
  T* p_ = nullptr;
  std::int64_t count_;
};

/// Which scale bytes random weights hold.
enum class ScaleMix { usual, all };

/// Quantised weights of all experts as checkpoints hold them, and their packed form.
struct Quantised {
  moe::Weights shape;  // packed points at `packed`
  Device<std::uint8_t> codes, scales, packed;
  Device<float> globals;  // [experts][2]
};
Quantised random_weights(const moe::Weights& shape, ScaleMix mix, std::uint32_t seed);

/// Random activations of `type` with |x| <= 1.
Device<std::uint16_t> random_activations(std::int64_t count, Dtype type, std::uint32_t seed);

/// fp32 rows and the sums of |terms|, which bound what rounding may do to them.
struct Reference {
  Device<float> rows, magnitude;  // [rows of a, n]
};
Reference reference(const moe::Gemm& gemm, const Quantised& weights,
                    const std::vector<std::int32_t>& host_rows);

/// Token sums of reference rows in the order of token_rows, and of their magnitudes.
Reference reference_tokens(const moe::Gemm& gemm, const Reference& rows, float initial);

/// How far an output may lie from the reference: relative to it, and to the sum of |terms|.
struct Tolerance {
  float of_value, of_magnitude, absolute;
};
Tolerance tolerance(Dtype out, int additions);

struct Difference {
  unsigned long long compared = 0, wrong = 0;
  float worst = 0;  // |difference| over what is allowed
};
/// Compares columns [0, n) of rows [first, first + count) of `out`.
Difference compare(const moe::Gemm& gemm, const Reference& r, std::int64_t first,
                   std::int64_t count, const Tolerance& t);

/// Elements of out's rows [first, first + count) that are not the poison byte 0xFF.
unsigned long long overwritten(const moe::Gemm& gemm, std::int64_t first, std::int64_t count);

}  // namespace tilefit::gpu_test
