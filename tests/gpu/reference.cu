// SPDX-License-Identifier: Apache-2.0
// See reference.h. Plain kernels: nothing here knows of tiles, packing or tensor cores.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <bit>

#include "reference.h"
#include "tilefit/kernels/nvfp4.h"

namespace tilefit::gpu_test {

__device__ std::uint32_t mix(std::uint32_t x) {
  x = (x ^ x >> 16U) * 0x7FEB352DU;
  x = (x ^ x >> 15U) * 0x846CA68BU;
  return x ^ x >> 16U;
}

__global__ void fill_codes(std::uint8_t* p, std::int64_t count, std::uint32_t seed) {
  for (std::int64_t i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL)
    p[i] = static_cast<std::uint8_t>(mix(static_cast<std::uint32_t>(i) * 2U + seed) >> 13U);
}

/// usual: 1/4 .. 4, one in 16 zero, subnormal or tiny. all: every finite byte, bit 7 set or not.
__global__ void fill_scales(std::uint8_t* p, std::int64_t count, bool all, std::uint32_t seed) {
  for (std::int64_t i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    const std::uint32_t h = mix(static_cast<std::uint32_t>(i) * 2U + 1U + seed);
    const std::uint32_t usual = h >> 28U == 0 ? h & 15U : 0x28U + (h >> 4U & 31U);
    p[i] = static_cast<std::uint8_t>(all ? (h & 0x80U) | h >> 8U & 0x7FU : usual);
    if ((p[i] & 0x7FU) == 0x7FU) p[i] ^= 1U;
  }
}

__global__ void fill_activations(std::uint16_t* p, std::int64_t count, bool fp16,
                                 std::uint32_t seed) {
  for (std::int64_t i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    const std::uint32_t h = mix(static_cast<std::uint32_t>(i) + seed);
    const float x =
        (static_cast<float>(h & 0xFFFFU) + static_cast<float>(h >> 16U) - 65535.0F) / 65536.0F;
    p[i] = fp16 ? __half_as_ushort(__float2half(x)) : __bfloat16_as_ushort(__float2bfloat16(x));
  }
}

/// What the plain product of one expert reads.
struct Product {
  const std::uint8_t *codes, *scales;
  const float* globals;
  const std::uint16_t* a;
  std::int64_t a_stride;
  bool fp16;
  int n, k, split, rows;
  const void* bias;
  Dtype bias_type;
  float *out, *magnitude;
};

__device__ float to_float(std::uint16_t x, bool fp16) {
  return fp16 ? __half2float(__ushort_as_half(x)) : __bfloat162float(__ushort_as_bfloat16(x));
}

__device__ float weight(const Product& p, std::int64_t n, int k) {
  const std::uint32_t pair = p.codes[n * (p.k / 2) + k / 2];
  return nvfp4::e2m1(k % 2 != 0 ? pair >> 4U : pair & 15U) *
         nvfp4::ue4m3(p.scales[n * (p.k / 16) + k / 16]);
}

/// 64 rows x 64 of n a block, 4 x 4 a thread, fp32.
__global__ void __launch_bounds__(256) product(const Product p) {
  __shared__ float a[16][65], w[16][65];
  const int tx = static_cast<int>(threadIdx.x) % 16, ty = static_cast<int>(threadIdx.x) / 16;
  const int n0 = static_cast<int>(blockIdx.x) * 64, r0 = static_cast<int>(blockIdx.y) * 64;
  float sum[4][4] = {}, magnitude[4][4] = {};
  for (int k0 = 0; k0 < p.k; k0 += 16) {
    for (int i = static_cast<int>(threadIdx.x); i < 1024; i += 256) {
      const int k = i % 16, x = i / 16;
      a[k][x] = r0 + x < p.rows ? to_float(p.a[(r0 + x) * p.a_stride + k0 + k], p.fp16) : 0.0F;
      w[k][x] = n0 + x < p.n ? weight(p, n0 + x, k0 + k) : 0.0F;
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
          const float term = a[k][ty + 16 * i] * w[k][tx + 16 * j];
          sum[i][j] += term;
          magnitude[i][j] += fabsf(term);
        }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int r = r0 + ty + 16 * i, n = n0 + tx + 16 * j;
      if (r >= p.rows || n >= p.n) continue;
      const float global = p.globals[n < p.split ? 0 : 1];
      float bias = 0;
      if (p.bias != nullptr)
        bias = p.bias_type == Dtype::f32 ? static_cast<const float*>(p.bias)[n]
                                         : to_float(static_cast<const std::uint16_t*>(p.bias)[n],
                                                    p.bias_type == Dtype::fp16);
      p.out[std::int64_t{r} * p.n + n] = sum[i][j] * global + bias;
      p.magnitude[std::int64_t{r} * p.n + n] = magnitude[i][j] * fabsf(global) + fabsf(bias);
    }
}

struct TokenSum {
  const float *rows, *magnitude;
  const float* row_weight;
  const std::int32_t* token_rows;
  std::int64_t row_count;
  int n, top_k;
  float initial;
  float *out, *out_magnitude;
};

__global__ void sum_tokens(const TokenSum p) {
  const std::int64_t token = blockIdx.y;
  const int n = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (n >= p.n) return;
  float sum = 0, magnitude = fabsf(p.initial);
  for (int i = 0; i < p.top_k; ++i) {
    const std::int64_t row = p.token_rows[token * p.top_k + i];
    if (row < 0 || row >= p.row_count) continue;
    sum += p.row_weight[row] * p.rows[row * p.n + n];
    magnitude += fabsf(p.row_weight[row]) * p.magnitude[row * p.n + n];
  }
  p.out[token * p.n + n] = p.initial + sum;
  p.out_magnitude[token * p.n + n] = magnitude;
}

__global__ void check_rows(const void* out, std::int64_t stride, Dtype type, const float* rows,
                           const float* magnitude, std::int64_t first, int n, Tolerance t,
                           unsigned long long* wrong, int* worst) {
  const std::int64_t r = first + blockIdx.y;
  const int c = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (c >= n) return;
  const std::int64_t at = r * stride + c;
  const float got = type == Dtype::f32
                        ? static_cast<const float*>(out)[at]
                        : to_float(static_cast<const std::uint16_t*>(out)[at], type == Dtype::fp16);
  const float want = rows[r * n + c];
  const float allowed =
      t.of_value * fabsf(want) + t.of_magnitude * magnitude[r * n + c] + t.absolute;
  const bool same = got == want || (isnan(got) && isnan(want));
  const float ratio = same ? 0.0F : fabsf(got - want) / allowed;
  if (!(ratio <= 1.0F)) atomicAdd(wrong, 1ULL);
  if (ratio >= 0.0F) atomicMax(worst, __float_as_int(ratio));
}

__global__ void count_overwritten(const std::uint8_t* out, std::int64_t row_bytes,
                                  std::int64_t first, std::int64_t count,
                                  unsigned long long* found) {
  for (std::int64_t i = blockIdx.x * 256LL + threadIdx.x; i < count * row_bytes;
       i += gridDim.x * 256LL)
    if (out[first * row_bytes + i] != 0xFF) atomicAdd(found, 1ULL);
}

Quantised random_weights(const moe::Weights& shape, ScaleMix mixture, std::uint32_t seed) {
  const std::int64_t elements = std::int64_t{shape.experts} * shape.n * shape.k;
  Quantised q{shape, Device<std::uint8_t>(elements / 2), Device<std::uint8_t>(elements / 16),
              Device<std::uint8_t>(*moe::packed_bytes(shape)), Device<float>(0)};
  fill_codes<<<2048, 256>>>(q.codes.get(), q.codes.size(), seed);
  fill_scales<<<2048, 256>>>(q.scales.get(), q.scales.size(), mixture == ScaleMix::all, seed);
  std::vector<float> globals;
  for (int e = 0; e < shape.experts; ++e)
    for (const float x :
         {0.01F * static_cast<float>(e % 7 + 1), 0.03F / static_cast<float>(e % 5 + 1)})
      globals.push_back(x);
  q.globals = Device<float>(globals);
  for (int e = 0; e < shape.experts; ++e) {
    moe::Nvfp4Tensor first{.codes = q.codes.get() + e * (elements / 2 / shape.experts),
                           .scales = q.scales.get() + e * (elements / 16 / shape.experts),
                           .global_scale = q.globals.get() + 2 * e,
                           .first_row = 0,
                           .rows = shape.split};
    moe::Nvfp4Tensor second = first;
    second.global_scale = q.globals.get() + 2 * e + 1;
    second.first_row = shape.split;
    second.rows = shape.n - shape.split;
    const moe::Nvfp4Tensor both[2] = {first, second};
    const auto done = moe::pack_expert(shape, e, std::span(both, second.rows > 0 ? 2 : 1),
                                       q.packed.get(), nullptr);
    EXPECT_TRUE(static_cast<bool>(done)) << (done ? "" : done.error().what);
  }
  q.shape.packed = q.packed.get();
  ok(cudaDeviceSynchronize());
  return q;
}

Device<std::uint16_t> random_activations(std::int64_t count, Dtype type, std::uint32_t seed) {
  Device<std::uint16_t> a(count);
  if (count > 0) fill_activations<<<2048, 256>>>(a.get(), count, type == Dtype::fp16, seed);
  return a;
}

namespace {
std::int64_t rows_of_a(const moe::Gemm& g) {
  return g.layout == moe::RowLayout::masked ? g.max_rows * g.weights.experts : g.total_rows;
}
}  // namespace

Reference reference(const moe::Gemm& g, const Quantised& q, const std::vector<std::int32_t>& rows) {
  const moe::Weights& w = g.weights;
  const bool masked = g.layout == moe::RowLayout::masked;
  Reference r{Device<float>(rows_of_a(g) * w.n), Device<float>(rows_of_a(g) * w.n)};
  for (int e = 0; e < w.experts; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const std::int64_t first = masked ? e * g.max_rows : rows[i];
    const int count = masked ? rows[i] : rows[i + 1] - rows[i];
    if (count <= 0) continue;
    const std::int64_t elements = std::int64_t{w.n} * w.k;
    const std::int64_t bias_bytes = std::int64_t{e} * w.n * bits(g.bias_type) / 8;
    const Product p{
        q.codes.get() + e * elements / 2,
        q.scales.get() + e * elements / 16,
        q.globals.get() + 2 * e,
        static_cast<const std::uint16_t*>(g.a) + first * g.a_stride,
        g.a_stride,
        w.activation == Dtype::fp16,
        w.n,
        w.k,
        w.split,
        count,
        g.bias == nullptr ? nullptr : static_cast<const std::byte*>(g.bias) + bias_bytes,
        g.bias_type,
        r.rows.get() + first * w.n,
        r.magnitude.get() + first * w.n};
    product<<<dim3((w.n + 63) / 64, (count + 63) / 64), 256>>>(p);
  }
  ok(cudaGetLastError());
  return r;
}

Reference reference_tokens(const moe::Gemm& g, const Reference& rows, float initial) {
  Reference r{Device<float>(g.tokens * g.weights.n), Device<float>(g.tokens * g.weights.n)};
  const TokenSum p{rows.rows.get(), rows.magnitude.get(), g.row_weight, g.token_rows,
                   rows_of_a(g),    g.weights.n,          g.top_k,      initial,
                   r.rows.get(),    r.magnitude.get()};
  sum_tokens<<<dim3((g.weights.n + 255) / 256, static_cast<unsigned>(g.tokens)), 256>>>(p);
  ok(cudaGetLastError());
  return r;
}

/// Sums: the tensor cores add in fp32, in another order than the reference and truncating; 2^-16 of
/// the sum of |terms| is some hundred units in its last place, a thousandth of a typical output.
/// Output: one rounding to bf16 (2^-9), fp16 (2^-11, subnormals 2^-25); twice that is allowed. Each
/// further addition in a 16-bit type rounds a partial sum of at most the magnitude once more.
Tolerance tolerance(Dtype out, int additions) {
  const float unit = out == Dtype::bf16 ? 0x1p-9F : out == Dtype::fp16 ? 0x1p-11F : 0x1p-24F;
  return {2 * unit, 0x1p-16F + static_cast<float>(additions) * unit,
          out == Dtype::fp16 ? 0x1p-24F * static_cast<float>(additions + 1) : 0x1p-120F};
}

Difference compare(const moe::Gemm& g, const Reference& r, std::int64_t first, std::int64_t count,
                   const Tolerance& t) {
  Difference d;
  if (count <= 0) return d;
  Device<unsigned long long> wrong(1);
  Device<int> worst(1);
  wrong.fill(0);
  worst.fill(0);
  for (std::int64_t at = 0; at < count; at += 65535) {
    const auto rows = static_cast<unsigned>(std::min<std::int64_t>(count - at, 65535));
    check_rows<<<dim3((g.weights.n + 255) / 256, rows), 256>>>(
        g.out, g.out_stride, g.out_type, r.rows.get(), r.magnitude.get(), first + at, g.weights.n,
        t, wrong.get(), worst.get());
  }
  ok(cudaGetLastError());
  d.compared = static_cast<unsigned long long>(count * g.weights.n);
  d.wrong = wrong.host()[0];
  const int bits_of_worst = worst.host()[0];
  d.worst = std::bit_cast<float>(bits_of_worst);
  return d;
}

unsigned long long overwritten(const moe::Gemm& g, std::int64_t first, std::int64_t count) {
  if (count <= 0) return 0;
  Device<unsigned long long> found(1);
  found.fill(0);
  count_overwritten<<<1024, 256>>>(static_cast<const std::uint8_t*>(g.out),
                                   g.out_stride * bits(g.out_type) / 8, first, count, found.get());
  ok(cudaGetLastError());
  return found.host()[0];
}

}  // namespace tilefit::gpu_test
