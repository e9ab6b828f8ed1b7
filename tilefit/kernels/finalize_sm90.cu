// SPDX-License-Identifier: Apache-2.0
// See finalize_sm90.cuh. A thread owns 16 bytes of one token's row; rows of one token are read
// together.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tilefit/kernels/finalize_sm90.cuh"

namespace tilefit::finalize_sm90 {

struct Params {
  const std::byte* rows;
  std::byte* out;
  std::int64_t out_stride, row_count;
  const std::int32_t* token_rows;
  const float* row_weight;
  int n, top_k;
};

/// 16 bytes of T as floats.
template <class T>
struct Vector {
  static constexpr int kCount = 16 / sizeof(T);
  float v[kCount];
};

template <class T>
__device__ inline Vector<T> read(const std::byte* p) {
  const uint4 raw = *reinterpret_cast<const uint4*>(p);
  const T* x = reinterpret_cast<const T*>(&raw);
  Vector<T> out;
#pragma unroll
  for (int i = 0; i < Vector<T>::kCount; ++i) out.v[i] = static_cast<float>(x[i]);
  return out;
}

template <class T>
__global__ void __launch_bounds__(256) reduce(const __grid_constant__ Params p) {
  constexpr int kCount = Vector<T>::kCount;
  const int n = (static_cast<int>(blockIdx.x) * 256 + static_cast<int>(threadIdx.x)) * kCount;
  if (n >= p.n) return;
  const std::int64_t token = blockIdx.y;
  Vector<T> sum{};
  for (int i = 0; i < p.top_k; ++i) {
    const std::int64_t row = p.token_rows[token * p.top_k + i];
    if (row < 0 || row >= p.row_count) continue;
    const float weight = p.row_weight[row];
    const Vector<T> x = read<T>(p.rows + (row * p.n + n) * static_cast<int>(sizeof(T)));
#pragma unroll
    for (int j = 0; j < kCount; ++j) sum.v[j] = fmaf(weight, x.v[j], sum.v[j]);
  }
  std::byte* to = p.out + (token * p.out_stride + n) * static_cast<int>(sizeof(T));
  const Vector<T> before = read<T>(to);
  uint4 raw;
  T* y = reinterpret_cast<T*>(&raw);
#pragma unroll
  for (int j = 0; j < kCount; ++j) y[j] = static_cast<T>(before.v[j] + sum.v[j]);
  *reinterpret_cast<uint4*>(to) = raw;
}

template <class T>
void launch_as(const Params& p, std::int64_t tokens, cudaStream_t stream) {
  const unsigned columns = 256 * Vector<T>::kCount;
  constexpr std::int64_t kRowsAtOnce = 32768;  // grids are limited to 65535 in y
  for (std::int64_t first = 0; first < tokens; first += kRowsAtOnce) {
    Params part = p;
    part.token_rows += first * p.top_k;
    part.out += first * p.out_stride * static_cast<int>(sizeof(T));
    const auto count =
        static_cast<unsigned>(tokens - first < kRowsAtOnce ? tokens - first : kRowsAtOnce);
    const dim3 grid((static_cast<unsigned>(p.n) + columns - 1) / columns, count);
    reduce<T><<<grid, 256, 0, stream>>>(part);
  }
}

cudaError_t launch(const moe::Gemm& g, const void* rows, std::int64_t row_count,
                   cudaStream_t stream) {
  const Params p{static_cast<const std::byte*>(rows),
                 static_cast<std::byte*>(g.out),
                 g.out_stride,
                 row_count,
                 g.token_rows,
                 g.row_weight,
                 g.weights.n,
                 g.top_k};
  if (g.out_type == Dtype::f32)
    launch_as<float>(p, g.tokens, stream);
  else if (g.out_type == Dtype::fp16)
    launch_as<__half>(p, g.tokens, stream);
  else
    launch_as<__nv_bfloat16>(p, g.tokens, stream);
  return cudaGetLastError();
}

}  // namespace tilefit::finalize_sm90
