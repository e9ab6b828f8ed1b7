// SPDX-License-Identifier: Apache-2.0
// Times the SM90 grouped GEMM. One line per shape, rows per expert and variant: microseconds per
// launch (median, p5, p95 of n graph replays), x roof, TFLOP/s, GB/s; ceilings, clocks and watts
// are measured in the same run. Variants of one point are interleaved.
//
//   moe_sm90_bench [--shapes A,B] [--m 1,8,64] [--rows 0,1|auto|all] [--modes none,atomic,det,pdl]
//                  [--spread even|zipf] [--rounds N] [--sustain SECONDS] [--json FILE]
//
// burst: graphs of about 2 ms after 4 ms of rest. sustained: after SECONDS of load. Weights are
// rotated so that a launch never finds its own in L2. roof = max(bytes / read ceiling,
// flops / matrix ceiling), bytes = weights at 4.5 bits + activations + output, each once.
#include <cuda_bf16.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "ceilings.h"
#include "moe_bench_options.h"
#include "tilefit/kernels/moe.h"
#include "tilefit/kernels/moe_sm90_kernels.cuh"

namespace tilefit::moe_bench {
namespace {

struct BenchShape {
  const char* name;
  int experts, n, k;
};
constexpr BenchShape kShapes[] = {
    {"glm5.gate_up", 32, 4096, 6144},     {"glm5.down", 32, 6144, 2048},
    {"dsv3.gate_up", 32, 4096, 7168},     {"dsv3.down", 32, 7168, 2048},
    {"qwen235.gate_up", 16, 3072, 4096},  {"qwen235.down", 16, 4096, 1536},
    {"gptoss.gate_up", 16, 5760, 2880},   {"gptoss.down", 16, 2880, 2880},
    {"glm5.tp8.gate_up", 32, 512, 6144},  {"glm5.tp8.down", 32, 6144, 256},
    {"glm5.tp4.gate_up", 32, 1024, 6144}, {"glm5.tp2.gate_up", 32, 2048, 6144},
};

__global__ void fill_random(std::uint32_t* p, std::int64_t count, std::uint32_t mask,
                            std::uint32_t base, std::uint32_t seed) {
  for (std::int64_t i = blockIdx.x * 256LL + threadIdx.x; i < count; i += gridDim.x * 256LL) {
    std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761U + seed;
    x = (x ^ x >> 16U) * 0x7FEB352DU;
    x = (x ^ x >> 15U) * 0x846CA68BU;
    p[i] = ((x ^ x >> 16U) & mask) + base;
  }
}

template <class T>
T* device(std::int64_t count) {
  void* p = nullptr;
  cuda(cudaMalloc(&p, static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(T)));
  return static_cast<T*>(p);
}

template <class T>
T* device(const std::vector<T>& v) {
  T* p = device<T>(static_cast<std::int64_t>(v.size()));
  cuda(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

/// Packed weights of one shape, several copies.
struct Weights {
  moe::Weights shape;
  Bytes bytes;
  std::vector<std::uint8_t*> copies;
};

Weights make_weights(const BenchShape& s, std::int64_t l2_bytes) {
  moe::Weights w{.experts = s.experts, .n = s.n, .k = s.k, .split = s.n / 2};
  const std::int64_t elements = std::int64_t{s.n} * s.k;
  auto* codes = device<std::uint8_t>(elements / 2 + 4096 * s.experts);
  auto* scales = device<std::uint8_t>(elements / 16);
  const float globals[2] = {0.02F, 0.03F};
  float* d_globals = device(std::vector<float>(globals, globals + 2));
  fill_random<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(codes),
                             elements / 8 + 1024 * s.experts, ~0U, 0, 1);
  fill_random<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(scales), elements / 64, 0x1F1F1F1FU,
                             0x28282828U, 2);
  const Bytes bytes = *moe::packed_bytes(w);
  const auto count =
      static_cast<std::size_t>(std::max<std::int64_t>(1, (3 * l2_bytes + bytes - 1) / bytes));
  Weights out{w, bytes, {}};
  for (std::size_t c = 0; c < count; ++c) {
    out.copies.push_back(device<std::uint8_t>(bytes));
    for (int e = 0; e < s.experts; ++e) {
      moe::Nvfp4Tensor t{
          .codes = codes + 4096 * e, .scales = scales, .global_scale = d_globals, .rows = s.n / 2};
      moe::Nvfp4Tensor u = t;
      u.first_row = s.n / 2;
      u.global_scale = d_globals + 1;
      const moe::Nvfp4Tensor both[2] = {t, u};
      if (!moe::pack_expert(w, e, both, out.copies.back(), nullptr)) std::exit(2);
    }
  }
  cuda(cudaDeviceSynchronize());
  for (void* p :
       {static_cast<void*>(codes), static_cast<void*>(scales), static_cast<void*>(d_globals)})
    cudaFree(p);
  return out;
}

struct Variant {
  std::string mode;
  int row;
  cudaGraphExec_t graph = nullptr;
  int launches = 0;
  int launched_row = 0;
  std::vector<float> us;
  double sustained_us = 0, mhz = 0, watts = 0;
};

class Point {
 public:
  Point(const BenchShape& shape, const Weights& weights, int m, const Options& options)
      : shape_(shape), weights_(weights), options_(options), m_(m) {
    offsets_ = row_offsets(options.spread, shape.experts, m);
    const std::int64_t rows = offsets_.back();
    g_.weights = weights.shape;
    g_.total_rows = rows;
    g_.rows = keep(device(offsets_));
    auto* a = keep(device<std::uint16_t>(rows * shape.k));
    fill_random<<<1024, 256>>>(reinterpret_cast<std::uint32_t*>(a), rows * shape.k / 2,
                               0xBFFFBFFFU & 0x807F807FU, 0x3F003F00U, 3);
    g_.a = a;
    g_.a_stride = shape.k;
    g_.out = keep(device<float>(rows * shape.n));
    g_.out_stride = shape.n;
    constexpr int kTopK = 8;  // rows r and r + tokens, ... of different experts meet in one token
    g_.tokens = (rows + kTopK - 1) / kTopK;
    std::vector<std::int32_t> token(static_cast<std::size_t>(rows)),
        back(static_cast<std::size_t>(g_.tokens * kTopK), -1);
    for (std::int64_t r = 0; r < rows; ++r) {
      token[static_cast<std::size_t>(r)] = static_cast<std::int32_t>(r % g_.tokens);
      back[static_cast<std::size_t>(r % g_.tokens * kTopK + r / g_.tokens)] =
          static_cast<std::int32_t>(r);
    }
    g_.row_token = keep(device(token));
    g_.token_rows = keep(device(back));
    g_.row_weight = keep(device(std::vector<float>(static_cast<std::size_t>(rows), 0.125F)));
    g_.top_k = kTopK;
    g_.workspace = keep(device<float>(rows * shape.n));
  }
  ~Point() {
    for (void* p : memory_) cudaFree(p);
  }
  Point(const Point&) = delete;
  Point& operator=(const Point&) = delete;

  double bytes() const {
    const double rows = static_cast<double>(g_.total_rows);
    const auto active = std::count_if(
        offsets_.begin() + 1, offsets_.end(),
        [&, before = 0](std::int32_t o) mutable { return std::exchange(before, o) != o; });
    return static_cast<double>(active) * shape_.n * shape_.k * 0.5625 +
           rows * (shape_.k + shape_.n) * 2.0;
  }
  double flops() const { return 2.0 * static_cast<double>(g_.total_rows) * shape_.n * shape_.k; }

  void capture(Variant& v, double roof_us) const {
    moe::Gemm g = g_;
    g.tile_row = v.row;
    g.expected_rows = m_;
    if (v.mode == "atomic" || v.mode == "atomic32") g.finalize = moe::Finalize::atomic;
    if (v.mode == "det") g.finalize = moe::Finalize::deterministic;
    if (v.mode == "pdl") g.overlap = moe::Overlap::on;
    if (v.mode == "f32" || v.mode == "atomic32") g.out_type = Dtype::f32;
    v.launches = std::clamp(static_cast<int>(2000.0 / roof_us), 3, 40);
    const auto copies = static_cast<int>(weights_.copies.size());
    if (copies > 1) v.launches = (v.launches + copies - 1) / copies * copies;
    cudaStream_t stream;
    cudaGraph_t graph;
    cuda(cudaStreamCreate(&stream));
    cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < v.launches; ++i) {
      g.weights.packed = weights_.copies[static_cast<std::size_t>(i % copies)];
      const auto done = moe::gemm(g, stream);
      if (!done) {
        std::fprintf(stderr, "error: %s (%s)\n", done.error().what.c_str(),
                     done.error().where.c_str());
        std::exit(2);
      }
      v.launched_row = done->tile_row;
    }
    cuda(cudaStreamEndCapture(stream, &graph));
    cuda(cudaGraphInstantiate(&v.graph, graph, 0));
    cuda(cudaGraphDestroy(graph));
    cuda(cudaStreamDestroy(stream));
  }

 private:
  template <class T>
  T* keep(T* p) {
    memory_.push_back(p);
    return p;
  }
  BenchShape shape_;
  const Weights& weights_;
  const Options& options_;
  int m_;
  std::vector<std::int32_t> offsets_;
  std::vector<void*> memory_;
  moe::Gemm g_;
};

float at(std::vector<float> v, double q) {
  std::sort(v.begin(), v.end());
  return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1) + 0.5)];
}

void print(const BenchShape& s, int m, const Point& p, const Variant& v, const Ceilings& c,
           const Options& o, std::FILE* json) {
  const double us = at(v.us, 0.5);
  const double roof = std::max(p.bytes() / c.read_bytes_per_us, p.flops() / c.burst_flops_per_us);
  std::printf(
      "%-16s m %-4d %-4s row %d %-8s | %8.1f us [%.1f %.1f] n %zu  x%.3f of %.1f  %4.0f TF %4.0f "
      "GB/s",
      s.name, m, o.spread.c_str(), v.launched_row, v.mode.c_str(), us, at(v.us, 0.05),
      at(v.us, 0.95), v.us.size(), us / roof, roof, p.flops() / us / 1e6, p.bytes() / us / 1e3);
  if (o.sustain > 0) {
    const double sroof =
        std::max(p.bytes() / c.read_bytes_per_us, p.flops() / c.sustained_flops_per_us);
    std::printf(" | sust %8.1f us x%.3f %4.0f MHz %3.0f W", v.sustained_us, v.sustained_us / sroof,
                v.mhz, v.watts);
  }
  std::printf("\n");
  std::fflush(stdout);
  if (json == nullptr) return;
  std::fprintf(
      json,
      "{\"shape\":\"%s\",\"experts\":%d,\"n\":%d,\"k\":%d,\"m\":%d,\"spread\":\"%s\",\"row\":%d,"
      "\"mode\":\"%s\","
      "\"us\":%.3f,\"p5\":%.3f,\"p95\":%.3f,\"samples\":%zu,\"launches\":%d,\"roof_us\":%.3f,"
      "\"sustained_us\":%.3f,\"mhz\":%.0f,\"watts\":%.0f}\n",
      s.name, s.experts, s.n, s.k, m, o.spread.c_str(), v.launched_row, v.mode.c_str(), us,
      at(v.us, 0.05), at(v.us, 0.95), v.us.size(), v.launches, roof, v.sustained_us, v.mhz,
      v.watts);
}

void run_point(const BenchShape& shape, const Weights& weights, int m, const Options& o,
               const Ceilings& c, std::FILE* json) {
  Point point(shape, weights, m, o);
  const double roof =
      std::max(point.bytes() / c.read_bytes_per_us, point.flops() / c.burst_flops_per_us);
  std::vector<Variant> variants;
  for (const int row : o.rows)
    for (const std::string& mode : o.modes) variants.push_back({mode, row});
  for (Variant& v : variants) point.capture(v, roof);
  for (int round = 0; round < o.rounds; ++round)
    for (Variant& v : variants) {
      usleep(4000);
      v.us.push_back(replay_us(v.graph, 1, 1) / static_cast<float>(v.launches));
    }
  for (Variant& v : variants) {
    if (o.sustain > 0) {
      const Load load = sustain(v.graph, o.sustain);
      v.sustained_us = load.us / v.launches;
      v.mhz = load.mhz;
      v.watts = load.watts;
    }
    print(shape, m, point, v, c, o, json);
    cudaGraphExecDestroy(v.graph);
  }
}

int run(int argc, char** argv) {
  const Options o = parse(argc, argv);
  std::FILE* json = o.json.empty() ? nullptr : std::fopen(o.json.c_str(), "a");
  const Ceilings c = measure_ceilings(o.sustain);
  print_ceilings(c);
  cudaDeviceProp prop{};
  cuda(cudaGetDeviceProperties(&prop, 0));
  for (const std::string& wanted : o.shapes)
    for (const BenchShape& s : kShapes) {
      if (wanted != s.name && wanted != "all") continue;
      const Weights w = make_weights(s, prop.l2CacheSize);
      if (w.copies.size() > 1)
        std::printf("%s: a plain kernel reads the weights' bytes in %.1f us\n", s.name,
                    read_us(w.bytes));
      for (const int m : o.m) run_point(s, w, m, o, c, json);
      for (auto* p : w.copies) cudaFree(p);
    }
  if (json != nullptr) std::fclose(json);
  return 0;
}

}  // namespace
}  // namespace tilefit::moe_bench

int main(int argc, char** argv) { return tilefit::moe_bench::run(argc, argv); }
