// SPDX-License-Identifier: Apache-2.0
// The SM90 grouped GEMM against a plain fp32 product of the same quantised operands: all outputs.
#include <cmath>

#include "case.h"

namespace tilefit::gpu_test {
namespace {

/// Rows per expert, from none to 4096.
const std::vector<std::int32_t> kEveryCount{0, 1, 2, 7, 8, 63, 64, 65, 127, 128, 129, 1000, 4096};

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
    Case c =
        contiguous(shape(static_cast<int>(kEveryCount.size()), m.n, m.k, GetParam()), kEveryCount);
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
  for (std::size_t e = 0; e < counts.size(); ++e)
    counts[e] = static_cast<std::int32_t>(e * 37 % 19);
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
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 0.01F * static_cast<float>(i % 97) - 0.4F;
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
        codes[i] =
            static_cast<std::uint8_t>((2 * i + i / 32) % 16 | ((2 * i + 1 + i / 32) % 16) << 4U);
      for (std::size_t i = 0; i < scales.size(); ++i)
        scales[i] = static_cast<std::uint8_t>(i / 4 % 256);
      const Device<std::uint8_t> d_codes(codes), d_scales(scales);
      const Device<float> d_global(std::vector<float>{global});
      moe::Weights w{.experts = 1, .n = kN, .k = kK, .split = kN, .activation = type};
      const Device<std::uint8_t> packed(*moe::packed_bytes(w));
      const moe::Nvfp4Tensor tensor{.codes = d_codes.get(),
                                    .scales = d_scales.get(),
                                    .global_scale = d_global.get(),
                                    .rows = kN};
      ASSERT_TRUE(static_cast<bool>(moe::pack_expert(w, 0, {&tensor, 1}, packed.get(), nullptr)));
      w.packed = packed.get();
      std::vector<std::uint16_t> unit(kK * kK, 0);
      for (std::size_t k = 0; k < kK; ++k) unit[k * kK + k] = type == Dtype::fp16 ? 0x3C00 : 0x3F80;
      const Device<std::uint16_t> a(unit);
      const Device<std::int32_t> rows(std::vector<std::int32_t>{0, kK});
      const Device<float> out(kK * kN);
      for (int row = 0; row < kRowCount; ++row) {
        run({.weights = w,
             .a = a.get(),
             .a_stride = kK,
             .rows = rows.get(),
             .total_rows = kK,
             .out = out.get(),
             .out_stride = kN,
             .out_type = Dtype::f32,
             .tile_row = row});
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
    ok(cudaMemcpy(c.rows.get(), c.host_rows.data(), c.host_rows.size() * 4,
                  cudaMemcpyHostToDevice));
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
