// SPDX-License-Identifier: Apache-2.0
// See ceilings.h. cuBLAS and NVML are opened at run time; without them their numbers are zero, said
// so.
#include "ceilings.h"

#include <cuda_bf16.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace tilefit::moe_bench {
namespace {

__global__ void read_all(const uint4* p, std::size_t count, unsigned* out) {
  unsigned acc = 0;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  for (; i + 3 * step < count; i += 4 * step) {
    uint4 v[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) v[j] = __ldcs(p + i + j * step);
#pragma unroll
    for (int j = 0; j < 4; ++j) acc ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
  }
  if (acc == 0x12345) *out = acc;
}

__global__ void random_bf16(__nv_bfloat16* p, std::size_t count) {
  for (std::size_t i = blockIdx.x * 256UL + threadIdx.x; i < count; i += gridDim.x * 256UL) {
    unsigned x = static_cast<unsigned>(i) * 2654435761U;
    x = (x ^ x >> 15U) * 0x846CA68BU;
    p[i] = __float2bfloat16(static_cast<float>(x >> 8U) * 0x1p-23F - 1.0F);
  }
}

/// NVML's clock and power readings, if the library is there.
struct Nvml {
  void* device = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
};

const Nvml& nvml() {
  static const Nvml found = [] {
    Nvml n;
    void* lib = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (lib == nullptr) return n;
    const auto init = reinterpret_cast<int (*)()>(dlsym(lib, "nvmlInit_v2"));
    const auto handle =
        reinterpret_cast<int (*)(unsigned, void**)>(dlsym(lib, "nvmlDeviceGetHandleByIndex_v2"));
    if (init == nullptr || handle == nullptr || init() != 0 || handle(0, &n.device) != 0)
      return Nvml{};
    n.clock =
        reinterpret_cast<int (*)(void*, int, unsigned*)>(dlsym(lib, "nvmlDeviceGetClockInfo"));
    n.power = reinterpret_cast<int (*)(void*, unsigned*)>(dlsym(lib, "nvmlDeviceGetPowerUsage"));
    return n;
  }();
  return found;
}

/// A graph of `count` launches of what `launch(stream)` does.
template <class Launch>
cudaGraphExec_t graph_of(int count, const Launch& launch) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cuda(cudaStreamCreate(&stream));
  cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < count; ++i) launch(stream);
  cuda(cudaStreamEndCapture(stream, &graph));
  cuda(cudaGraphInstantiate(&executable, graph, 0));
  cuda(cudaGraphDestroy(graph));
  cuda(cudaStreamDestroy(stream));
  return executable;
}

double read_rate() {
  constexpr std::size_t kBytes = std::size_t{2} << 30U;
  void* p = nullptr;
  cuda(cudaMalloc(&p, kBytes));
  cuda(cudaMemset(p, 0x5A, kBytes));
  double best = 0;
  for (const int blocks : {264, 528, 1056}) {
    const auto graph = graph_of(4, [&](cudaStream_t s) {
      read_all<<<blocks, 512, 0, s>>>(static_cast<const uint4*>(p), kBytes / 16,
                                      static_cast<unsigned*>(p));
    });
    std::vector<float> us;
    for (int i = 0; i < 5; ++i) us.push_back(replay_us(graph, 1, 1) / 4);
    std::sort(us.begin(), us.end());
    best = std::max(best, static_cast<double>(kBytes) / us[2]);
    cudaGraphExecDestroy(graph);
  }
  cudaFree(p);
  return best;
}

using GemmEx = int (*)(void*, int, int, int, int, int, const void*, const void*, int, int,
                       const void*, int, int, const void*, void*, int, int, int, int);

void matrix_rate(Ceilings& c, double sustain_seconds) {
  void* lib = dlopen("libcublas.so.13", RTLD_NOW);
  if (lib == nullptr) lib = dlopen("libcublas.so.12", RTLD_NOW);
  if (lib == nullptr) return;
  const auto create = reinterpret_cast<int (*)(void**)>(dlsym(lib, "cublasCreate_v2"));
  const auto set_stream =
      reinterpret_cast<int (*)(void*, cudaStream_t)>(dlsym(lib, "cublasSetStream_v2"));
  const auto gemm = reinterpret_cast<GemmEx>(dlsym(lib, "cublasGemmEx"));
  void* handle = nullptr;
  if (create == nullptr || set_stream == nullptr || gemm == nullptr || create(&handle) != 0) return;
  constexpr int kSize = 8192;
  __nv_bfloat16* p = nullptr;
  cuda(cudaMalloc(&p, sizeof(*p) * 3UL * kSize * kSize));
  random_bf16<<<1024, 256>>>(p, 2UL * kSize * kSize);
  const float one = 1, zero = 0;
  const auto launch = [&](cudaStream_t s) {
    set_stream(handle, s);
    constexpr int kBf16 = 14, kCompute32 = 68, kTranspose = 1, kPlain = 0, kDefault = -1;
    gemm(handle, kTranspose, kPlain, kSize, kSize, kSize, &one, p, kBf16, kSize,
         p + 1UL * kSize * kSize, kBf16, kSize, &zero, p + 2UL * kSize * kSize, kBf16, kSize,
         kCompute32, kDefault);
  };
  launch(nullptr);
  cuda(cudaDeviceSynchronize());
  const auto graph = graph_of(5, launch);
  constexpr double kFlops = 2.0 * kSize * kSize * kSize;
  std::vector<float> us;
  for (int i = 0; i < 5; ++i) {
    usleep(20000);
    us.push_back(replay_us(graph, 1, 1) / 5);
  }
  std::sort(us.begin(), us.end());
  c.burst_flops_per_us = kFlops / us[2];
  c.sustained_flops_per_us = c.burst_flops_per_us;
  if (sustain_seconds > 0) {
    const Load load = sustain(graph, sustain_seconds);
    c.sustained_flops_per_us = kFlops * 5 / load.us;
    c.sustained_mhz = load.mhz;
    c.sustained_watts = load.watts;
  }
  cudaGraphExecDestroy(graph);
  cudaFree(p);
}

}  // namespace

float replay_us(cudaGraphExec_t graph, int warm, int timed) {
  cudaEvent_t begin, end;
  cuda(cudaEventCreate(&begin));
  cuda(cudaEventCreate(&end));
  for (int i = 0; i < warm; ++i) cuda(cudaGraphLaunch(graph, nullptr));
  cuda(cudaEventRecord(begin, nullptr));
  for (int i = 0; i < timed; ++i) cuda(cudaGraphLaunch(graph, nullptr));
  cuda(cudaEventRecord(end, nullptr));
  cuda(cudaEventSynchronize(end));
  float ms = 0;
  cuda(cudaEventElapsedTime(&ms, begin, end));
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return ms * 1000 / static_cast<float>(timed);
}

double read_us(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes) / 16 * 16;
  constexpr std::size_t kCopies = 8;
  std::byte* p = nullptr;
  cuda(cudaMalloc(&p, size * kCopies));
  cuda(cudaMemset(p, 0x5A, size * kCopies));
  std::size_t i = 0;
  const auto graph = graph_of(2 * kCopies, [&](cudaStream_t s) {
    const auto* from = reinterpret_cast<const uint4*>(p + size * (i++ % kCopies));
    read_all<<<528, 512, 0, s>>>(from, size / 16, reinterpret_cast<unsigned*>(p));
  });
  std::vector<float> us;
  for (int r = 0; r < 5; ++r) us.push_back(replay_us(graph, 1, 1) / (2 * kCopies));
  std::sort(us.begin(), us.end());
  cudaGraphExecDestroy(graph);
  cudaFree(p);
  return us[2];
}

Load sustain(cudaGraphExec_t graph, double seconds) {
  const float once = replay_us(graph, 1, 1);
  const int half = std::max(1, static_cast<int>(seconds * 5e5 / once));
  (void)replay_us(graph, 0, half);
  cudaEvent_t begin, end;
  cuda(cudaEventCreate(&begin));
  cuda(cudaEventCreate(&end));
  cuda(cudaEventRecord(begin, nullptr));
  for (int i = 0; i < half; ++i) cuda(cudaGraphLaunch(graph, nullptr));
  cuda(cudaEventRecord(end, nullptr));
  Load load;
  int samples = 0;
  while (cudaEventQuery(end) == cudaErrorNotReady) {
    unsigned mhz = 0, milliwatts = 0;
    if (nvml().clock != nullptr && nvml().clock(nvml().device, 1, &mhz) == 0 &&
        nvml().power != nullptr && nvml().power(nvml().device, &milliwatts) == 0) {
      load.mhz += mhz;
      load.watts += milliwatts / 1000.0;
      ++samples;
    }
    usleep(2000);
  }
  float ms = 0;
  cuda(cudaEventSynchronize(end));
  cuda(cudaEventElapsedTime(&ms, begin, end));
  load.us = ms * 1000.0 / half;
  if (samples > 0) {
    load.mhz /= samples;
    load.watts /= samples;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return load;
}

Ceilings measure_ceilings(double sustain_seconds) {
  Ceilings c;
  c.read_bytes_per_us = read_rate();
  matrix_rate(c, sustain_seconds);
  if (c.burst_flops_per_us == 0) {
    std::printf("cuBLAS is not there: the matrix ceiling is 778 TFLOP/s, from an earlier run\n");
    c.burst_flops_per_us = c.sustained_flops_per_us = 778e6;
  }
  return c;
}

void print_ceilings(const Ceilings& c) {
  std::printf(
      "ceilings: read %.2f TB/s, bf16 8192^3 %.0f TFLOP/s burst, %.0f sustained (%.0f MHz, %.0f "
      "W)\n",
      c.read_bytes_per_us / 1e6, c.burst_flops_per_us / 1e6, c.sustained_flops_per_us / 1e6,
      c.sustained_mhz, c.sustained_watts);
}

}  // namespace tilefit::moe_bench
