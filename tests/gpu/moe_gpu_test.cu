// SPDX-License-Identifier: Apache-2.0
// The SM90 grouped GEMM against a plain fp32 product of the same quantised operands: all outputs.
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "reference.h"
#include "tilefit/kernels/moe_sm90.h"

namespace tilefit::gpu_test {
namespace {

constexpr int kRowCount = static_cast<int>(sm90_w4a16::kRows.size());

/// Rows per expert, from none to 4096.
const std::vector<std::int32_t> kEveryCount{0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 129, 1000, 4096};

std::vector<std::int32_t> offsets(const std::vector<std::int32_t>& counts) {
  std::vector<std::int32_t> o{0};
  for (const std::int32_t c : counts) o.push_back(o.back() + c);
  return o;
}

moe::Weights shape(int experts, int n, int k, Dtype activation = Dtype::bf16) {
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

Case contiguous(const moe::Weights& w, const std::vector<std::int32_t>& counts,
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

void run(const moe::Gemm& g) {
  const auto launched = moe::gemm(g, nullptr);
  ASSERT_TRUE(static_cast<bool>(launched)) << launched.error().what;
  ok(cudaDeviceSynchronize());
}

void expect_rows(const moe::Gemm& g, const Reference& r, std::int64_t first, std::int64_t count) {
  const Difference d = compare(g, r, first, count, tolerance(g.out_type, 0));
  EXPECT_EQ(d.wrong, 0U) << "of " << d.compared << ", worst " << d.worst << " x what is allowed";
}

/// Every tile row and output type of one case against one reference.
void expect_every_row(Case& c) {
  const Reference r = reference(c.gemm, c.weights, c.host_rows);
  for (int row = 0; row < kRowCount; ++row)
    for (const Dtype type : {Dtype::bf16, Dtype::fp16, Dtype::f32}) {
      SCOPED_TRACE(testing::Message() << "tile row " << row << ", out " << name(type));
      c.out.fill(0xFF);
      c.gemm.tile_row = row;
      c.gemm.out_type = type;
      run(c.gemm);
      expect_rows(c.gemm, r, 0, c.gemm.total_rows);
    }
}

struct ModelShape {
  const char* name;
  int n, k;
};

/// n and k of gate_up and down, whole and under TP 2, 4, 8.
std::vector<ModelShape> model_shapes() {
  struct Model {
    const char* name;
    int hidden, intermediate;
  };
  std::vector<ModelShape> shapes;
  for (const Model& m : {Model{"GLM-5", 6144, 2048}, Model{"DeepSeek-V3", 7168, 2048},
                         Model{"Qwen3-235B", 4096, 1536}, Model{"Qwen3-30B", 2048, 768},
                         Model{"gpt-oss-120b", 2880, 2880}})
    for (const int tp : {1, 2, 4, 8}) {
      if (m.intermediate / tp % 16 != 0) continue;  // no whole scale blocks: not a shard anyone has
      shapes.push_back({m.name, 2 * m.intermediate / tp, m.hidden});
      shapes.push_back({m.name, m.hidden, m.intermediate / tp});
    }
  return shapes;
}

class ModelShapes : public testing::TestWithParam<Dtype> {};

TEST_P(ModelShapes, EveryRowCount) {
  for (const ModelShape& m : model_shapes()) {
    SCOPED_TRACE(testing::Message() << m.name << " n " << m.n << " k " << m.k);
    Case c = contiguous(shape(static_cast<int>(kEveryCount.size()), m.n, m.k, GetParam()), kEveryCount);
    expect_every_row(c);
    if (testing::Test::HasFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Moe, ModelShapes, testing::Values(Dtype::bf16, Dtype::fp16),
                         [](const auto& p) { return std::string(name(p.param)); });

TEST(Moe, Small) {
  for (const Dtype type : {Dtype::bf16, Dtype::fp16}) {
    Case c = contiguous(shape(4, 264, 208, type), {3, 0, 70, 130});
    expect_every_row(c);
  }
}

TEST(Moe, Skew) {
  std::vector<std::int32_t> one(64, 0), zipf(64), descending(64);
  one[37] = 3000;
  for (int e = 0; e < 64; ++e) {
    zipf[static_cast<std::size_t>(e * 29 % 64)] = 1200 / (e + 1);
    descending[static_cast<std::size_t>(e)] = 64 - e;
  }
  for (const auto& counts : {one, zipf, descending, std::vector<std::int32_t>(64, 0)}) {
    Case c = contiguous(shape(64, 1024, 512), counts);
    expect_every_row(c);
  }
}

TEST(Moe, ManyExperts) {
  std::vector<std::int32_t> counts(512);
  for (std::size_t e = 0; e < counts.size(); ++e) counts[e] = static_cast<std::int32_t>(e * 37 % 19);
  Case c = contiguous(shape(512, 256, 256), counts);
  expect_every_row(c);
}

TEST(Moe, Masked) {
  const moe::Weights w = shape(6, 768, 384);
  const std::vector<std::int32_t> counts{0, 1, 65, 200, 128, 17};
  Case c = contiguous(w, std::vector<std::int32_t>(6, 200));
  c.host_rows = counts;
  c.rows = Device<std::int32_t>(counts);
  c.gemm.layout = moe::RowLayout::masked;
  c.gemm.max_rows = 200;
  c.gemm.rows = c.rows.get();
  const Reference r = reference(c.gemm, c.weights, counts);
  for (int row = 0; row < kRowCount; ++row) {
    c.out.fill(0xFF);
    c.gemm.tile_row = row;
    run(c.gemm);
    for (int e = 0; e < 6; ++e) {
      const std::int32_t count = counts[static_cast<std::size_t>(e)];
      expect_rows(c.gemm, r, e * 200, count);
      EXPECT_EQ(overwritten(c.gemm, e * 200 + count, 200 - count), 0U) << "expert " << e;
    }
  }
}

TEST(Moe, Strides) {
  Case c = contiguous(shape(3, 384, 256), {5, 66, 31});
  c.a = random_activations(102 * 320, Dtype::bf16, 9);
  c.out = Device<float>(102 * 400);
  c.gemm.a = c.a.get();
  c.gemm.out = c.out.get();
  c.gemm.a_stride = 320;
  c.gemm.out_stride = 400;
  expect_every_row(c);
}

TEST(Moe, Bias) {
  Case c = contiguous(shape(5, 512, 256), {1, 40, 0, 100, 9});
  std::vector<float> values(5 * 512);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.01F * static_cast<float>(i % 97) - 0.4F;
  const Device<float> f32(values);
  const Device<std::uint16_t> b16 = random_activations(5 * 512, Dtype::bf16, 3);
  const Device<std::uint16_t> h16 = random_activations(5 * 512, Dtype::fp16, 4);
  const std::pair<Dtype, const void*> biases[] = {
      {Dtype::f32, f32.get()}, {Dtype::bf16, b16.get()}, {Dtype::fp16, h16.get()}};
  for (const auto& [type, bias] : biases) {
    c.gemm.bias = bias;
    c.gemm.bias_type = type;
    expect_every_row(c);
  }
}

/// Offsets outside of [0, total_rows] or going down are clamped, and nothing else is written.
TEST(Moe, ClampsOffsets) {
  Case c = contiguous(shape(4, 256, 256), {8, 8, 8, 8});
  const std::vector<std::int32_t> bad{-5, 8, 6, 2000000000, 9};
  c.rows = Device<std::int32_t>(bad);
  c.gemm.rows = c.rows.get();
  c.gemm.total_rows = 20;
  c.out.fill(0xFF);
  run(c.gemm);
  EXPECT_EQ(overwritten(c.gemm, 20, 12), 0U);
  EXPECT_GT(overwritten(c.gemm, 0, 20), 0U);
}

/// Rows of a are unit vectors, so that outputs are the weights themselves: every code under every
/// scale, exactly. A block whose scale is NaN makes its whole row NaN.
TEST(Moe, EveryCodeAndScaleExactly) {
  constexpr int kN = 512, kK = 64;
  for (const Dtype type : {Dtype::bf16, Dtype::fp16})
    for (const float global : {1.0F, 0x1p-20F, 3.0e34F, 1.0e-30F}) {
      std::vector<std::uint8_t> codes(kN * kK / 2), scales(kN * kK / 16);
      for (std::size_t i = 0; i < codes.size(); ++i)
        codes[i] = static_cast<std::uint8_t>((2 * i + i / 32) % 16 | ((2 * i + 1 + i / 32) % 16) << 4U);
      for (std::size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<std::uint8_t>(i / 4 % 256);
      const Device<std::uint8_t> d_codes(codes), d_scales(scales);
      const Device<float> d_global(std::vector<float>{global});
      moe::Weights w{.experts = 1, .n = kN, .k = kK, .split = kN, .activation = type};
      const Device<std::uint8_t> packed(*moe::packed_bytes(w));
      const moe::Nvfp4Tensor tensor{.codes = d_codes.get(), .scales = d_scales.get(),
                                    .global_scale = d_global.get(), .rows = kN};
      ASSERT_TRUE(static_cast<bool>(moe::pack_expert(w, 0, {&tensor, 1}, packed.get(), nullptr)));
      w.packed = packed.get();
      std::vector<std::uint16_t> unit(kK * kK, 0);
      for (std::size_t k = 0; k < kK; ++k) unit[k * kK + k] = type == Dtype::fp16 ? 0x3C00 : 0x3F80;
      const Device<std::uint16_t> a(unit);
      const Device<std::int32_t> rows(std::vector<std::int32_t>{0, kK});
      const Device<float> out(kK * kN);
      for (int row = 0; row < kRowCount; ++row) {
        run({.weights = w, .a = a.get(), .a_stride = kK, .rows = rows.get(), .total_rows = kK,
             .out = out.get(), .out_stride = kN, .out_type = Dtype::f32, .tile_row = row});
        const std::vector<float> got = out.host();
        int wrong = 0;
        for (std::size_t n = 0; n < kN; ++n)
          for (std::size_t k = 0; k < kK; ++k) {
            const std::uint32_t pair = codes[(n * kK + k) / 2];
            const float weight = nvfp4::e2m1(k % 2 != 0 ? pair >> 4U : pair & 15U) *
                                 nvfp4::ue4m3(scales[(n * kK + k) / 16]);
            const float want = weight * global;
            const bool nan_row = n % 128 == 127;
            wrong += nan_row ? !std::isnan(got[k * kN + n]) : got[k * kN + n] != want;
          }
        EXPECT_EQ(wrong, 0) << name(type) << " global " << global << " row " << row;
      }
    }
}

/// Rows sorted by expert of `tokens` tokens with `top_k` different experts each.
struct Routing {
  std::vector<std::int32_t> counts, row_token, token_rows;
  std::vector<float> row_weight;
};

Routing route(int experts, int tokens, int top_k) {
  std::mt19937 random(7);
  std::vector<std::vector<std::int32_t>> chosen(static_cast<std::size_t>(experts));
  std::vector<std::int32_t> order(static_cast<std::size_t>(experts));
  std::iota(order.begin(), order.end(), 0);
  for (std::int32_t t = 0; t < tokens; ++t) {
    std::shuffle(order.begin(), order.end(), random);
    for (int i = 0; i < top_k; ++i)
      chosen[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])].push_back(t);
  }
  Routing r;
  std::vector<int> seen(static_cast<std::size_t>(tokens), 0);
  r.token_rows.assign(static_cast<std::size_t>(tokens * top_k), -1);
  for (const auto& expert : chosen) {
    r.counts.push_back(static_cast<std::int32_t>(expert.size()));
    for (const std::int32_t t : expert) {
      const auto i = static_cast<std::size_t>(t);
      r.token_rows[i * static_cast<std::size_t>(top_k) + static_cast<std::size_t>(seen[i]++)] =
          static_cast<std::int32_t>(r.row_token.size());
      r.row_token.push_back(t);
      r.row_weight.push_back(0.05F + 0.9F * static_cast<float>(random() % 1000) / 1000.0F);
    }
  }
  return r;
}

/// A case whose rows are combined into tokens, and what it names besides.
struct FinalizeCase {
  Case c;
  Device<std::int32_t> row_token, token_rows;
  Device<float> row_weight;
  Device<std::uint8_t> workspace{0};
};

FinalizeCase finalize_case(const moe::Weights& w, int tokens, int top_k) {
  const Routing routing = route(w.experts, tokens, top_k);
  FinalizeCase f{contiguous(w, routing.counts), Device<std::int32_t>(routing.row_token),
                 Device<std::int32_t>(routing.token_rows), Device<float>(routing.row_weight)};
  f.c.out = Device<float>(std::int64_t{tokens} * w.n);
  f.c.gemm.out = f.c.out.get();
  f.c.gemm.row_token = f.row_token.get();
  f.c.gemm.token_rows = f.token_rows.get();
  f.c.gemm.row_weight = f.row_weight.get();
  f.c.gemm.tokens = tokens;
  f.c.gemm.top_k = top_k;
  f.workspace = Device<std::uint8_t>(f.c.gemm.total_rows * w.n * 4);
  f.c.gemm.workspace = f.workspace.get();
  return f;
}

void expect_tokens(FinalizeCase& f) {
  moe::Gemm& g = f.c.gemm;
  const Reference rows = reference(g, f.c.weights, f.c.host_rows);
  const Reference tokens = reference_tokens(g, rows, 0.0F);
  for (int row = 0; row < kRowCount; ++row)
    for (const Dtype type : {Dtype::bf16, Dtype::fp16, Dtype::f32})
      for (const auto mode : {moe::Finalize::atomic, moe::Finalize::deterministic}) {
        SCOPED_TRACE(testing::Message() << "tile row " << row << ", out " << name(type) << ", mode "
                                        << static_cast<int>(mode) << ", top " << g.top_k);
        f.c.out.fill(0);
        g.tile_row = row;
        g.out_type = type;
        g.finalize = mode;
        run(g);
        const Difference d = compare(g, tokens, 0, g.tokens, tolerance(type, g.top_k));
        EXPECT_EQ(d.wrong, 0U) << "of " << d.compared << ", worst " << d.worst;
      }
}

TEST(Moe, FinalizeSmall) {
  FinalizeCase f = finalize_case(shape(4, 136, 160), 20, 2);
  expect_tokens(f);
}

TEST(Moe, FinalizeEveryTopK) {
  for (int top_k = 1; top_k <= 10; ++top_k) {
    FinalizeCase f = finalize_case(shape(32, 1536, 512), 150, top_k);
    expect_tokens(f);
  }
}

TEST(Moe, FinalizeGlm5Down) {
  FinalizeCase f = finalize_case(shape(32, 6144, 2048), 512, 8);
  expect_tokens(f);
}

TEST(Moe, DeterministicBits) {
  FinalizeCase f = finalize_case(shape(32, 2048, 768), 300, 8);
  f.c.gemm.finalize = moe::Finalize::deterministic;
  std::vector<float> first;
  for (int i = 0; i < 8; ++i) {
    f.c.out.fill(0);
    run(f.c.gemm);
    const std::vector<float> now = f.c.out.host();
    if (i == 0) first = now;
    EXPECT_EQ(std::memcmp(first.data(), now.data(), now.size() * sizeof(float)), 0) << "run " << i;
  }
}

/// One capture serves other row counts: they are read on the device.
TEST(Moe, GraphCapture) {
  Case c = contiguous(shape(8, 512, 512), std::vector<std::int32_t>(8, 40));
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  ok(cudaStreamCreate(&stream));
  ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const auto launched = moe::gemm(c.gemm, stream);
  ok(cudaStreamEndCapture(stream, &graph));
  ASSERT_TRUE(static_cast<bool>(launched)) << launched.error().what;
  ok(cudaGraphInstantiate(&executable, graph, 0));
  for (const auto& counts : {std::vector<std::int32_t>{40, 40, 40, 40, 40, 40, 40, 40},
                             std::vector<std::int32_t>{0, 0, 200, 1, 100, 0, 19, 0}}) {
    c.host_rows = offsets(counts);
    c.out.fill(0xFF);
    ok(cudaMemcpy(c.rows.get(), c.host_rows.data(), c.host_rows.size() * 4, cudaMemcpyHostToDevice));
    ok(cudaGraphLaunch(executable, stream));
    ok(cudaStreamSynchronize(stream));
    expect_rows(c.gemm, reference(c.gemm, c.weights, c.host_rows), 0, c.gemm.total_rows);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

/// Back-to-back launches that may overlap, each reading what the one before wrote.
TEST(Moe, Overlap) {
  Case c = contiguous(shape(16, 512, 512), std::vector<std::int32_t>(16, 9));
  Device<std::uint16_t> second(144 * 512), third(144 * 512);
  moe::Gemm g = c.gemm;
  g.overlap = moe::Overlap::on;
  g.out = second.get();
  moe::Gemm next = g;
  next.a = second.get();
  next.out = third.get();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(static_cast<bool>(moe::gemm(g, nullptr)));
    ASSERT_TRUE(static_cast<bool>(moe::gemm(next, nullptr)));
  }
  ok(cudaDeviceSynchronize());
  expect_rows(next, reference(next, c.weights, c.host_rows), 0, 144);
}

}  // namespace
}  // namespace tilefit::gpu_test
