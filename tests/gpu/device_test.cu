// SPDX-License-Identifier: Apache-2.0
// Planned bytes against what the CUDA runtime says, refusals, and the device's packer.
#include "reference.h"
#include "tilefit/kernels/moe_sm90_kernels.cuh"

namespace tilefit::gpu_test {
namespace {

TEST(Device, PlannedBytesAreLaunchedBytes) {
  for (const Dtype type : {Dtype::bf16, Dtype::fp16})
    for (const moe_sm90::Kernel& k : moe_sm90::kernels(type)) {
      SCOPED_TRACE(testing::Message() << k.tile.m << "x" << k.tile.n << "x" << k.tile.k);
      const auto* f = reinterpret_cast<const void*>(k.function);
      const SmemPlan plan = sm90_w4a16::layout(k.tile);
      ok(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(plan.total)));
      cudaFuncAttributes a{};
      ok(cudaFuncGetAttributes(&a, f));
      EXPECT_EQ(a.sharedSizeBytes, 0U);
      EXPECT_EQ(a.maxDynamicSharedSizeBytes, plan.total);
      EXPECT_EQ(k.smem_bytes, plan.total);
      EXPECT_EQ(a.localSizeBytes, 0U) << "spills";
      int blocks = 0;
      ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, k.threads,
                                                       static_cast<std::size_t>(plan.total)));
      EXPECT_EQ(blocks, k.blocks_per_sm);
    }
}

/// As many stages as the plan says fit are granted; one more is refused, by the runtime too.
TEST(Device, OneStageMoreIsRefused) {
  const Bytes limit = arch(90).smem_per_block;
  for (const moe_sm90::Kernel& k : moe_sm90::kernels(Dtype::bf16)) {
    const auto* f = reinterpret_cast<const void*>(k.function);
    Tile tile = k.tile;
    tile.stages = sm90_w4a16::stages_that_fit(tile, limit);
    EXPECT_GE(tile.stages, k.tile.stages);
    EXPECT_EQ(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(sm90_w4a16::layout(tile).total)),
              cudaSuccess);
    ++tile.stages;
    EXPECT_EQ(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(sm90_w4a16::layout(tile).total)),
              cudaErrorInvalidValue);
    (void)cudaGetLastError();
  }
}

TEST(Device, WrongArgumentsLaunchNothing) {
  const moe::Weights w{.experts = 2, .n = 128, .k = 128, .split = 128};
  const Quantised q = random_weights(w, ScaleMix::usual, 1);
  const Device<std::uint16_t> a = random_activations(64 * 128, Dtype::bf16, 1);
  const Device<std::int32_t> rows(std::vector<std::int32_t>{0, 32, 64});
  Device<float> out(64 * 128);
  out.fill(0xFF);
  const moe::Gemm good{.weights = q.shape,
                       .a = a.get(),
                       .a_stride = 128,
                       .rows = rows.get(),
                       .total_rows = 64,
                       .out = out.get(),
                       .out_stride = 128};
  const auto refused = [&](auto change) {
    moe::Gemm g = good;
    change(g);
    const auto r = moe::gemm(g, nullptr);
    EXPECT_FALSE(static_cast<bool>(r));
    ok(cudaDeviceSynchronize());
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    EXPECT_EQ(overwritten(good, 0, 64), 0U);
  };
  refused([](moe::Gemm& g) { g.a = nullptr; });
  refused([](moe::Gemm& g) { g.a = static_cast<const std::uint16_t*>(g.a) + 1; });
  refused([](moe::Gemm& g) { g.out = static_cast<std::byte*>(g.out) + 8; });
  refused([](moe::Gemm& g) { g.a_stride = 132; });
  refused([](moe::Gemm& g) { g.out_stride = 120; });
  refused([](moe::Gemm& g) { g.total_rows = std::int64_t{1} << 40; });
  refused([](moe::Gemm& g) { g.finalize = moe::Finalize::deterministic; });
  refused([](moe::Gemm& g) { g.out_type = Dtype::e4m3; });
}

/// Both packers write the same bytes, from linear and swizzled scales, one tensor or two.
TEST(Device, PacksAsTheHostDoes) {
  constexpr int kN = 200, kK = 336, kColumns = kK / 16;
  std::vector<std::uint8_t> codes(kN * kK / 2), linear(kN * kColumns), swizzled(256 * 24, 0x55);
  for (std::size_t i = 0; i < codes.size(); ++i)
    codes[i] = static_cast<std::uint8_t>(i * 167 + i / 251);
  for (std::size_t i = 0; i < linear.size(); ++i)
    linear[i] = static_cast<std::uint8_t>(i * 89 + i / 13);
  for (int r = 0; r < kN; ++r)
    for (int c = 0; c < kColumns; ++c)
      swizzled[static_cast<std::size_t>(nvfp4::swizzled_128x4(r, c, kColumns))] =
          linear[static_cast<std::size_t>(r * kColumns + c)];
  const std::vector<float> globals{0.5F, 4.0F};
  const Device<std::uint8_t> d_codes(codes), d_linear(linear), d_swizzled(swizzled);
  const Device<float> d_globals(globals);
  for (const Dtype type : {Dtype::bf16, Dtype::fp16})
    for (const bool swizzle : {false, true})
      for (const int split : {kN, 104}) {
        const moe::Weights w{.experts = 2, .n = kN, .k = kK, .split = split, .activation = type};
        const auto tensors = [&](const std::uint8_t* c, const std::uint8_t* s, const float* g) {
          moe::Nvfp4Tensor t{.codes = c, .scales = s, .global_scale = g, .rows = split};
          if (swizzle) t.order = moe::Nvfp4Tensor::Scales::swizzled_128x4;
          moe::Nvfp4Tensor u = t;
          u.global_scale = g + 1;
          u.global = moe::Nvfp4Tensor::Global::divisor;
          u.first_row = split;
          u.rows = kN - split;
          return std::vector<moe::Nvfp4Tensor>{t, u};
        };
        const std::size_t count = split == kN ? 1 : 2;
        const auto bytes = *moe::packed_bytes(w);
        std::vector<std::uint8_t> host(static_cast<std::size_t>(bytes), 0);
        Device<std::uint8_t> device(bytes);
        device.fill(0);
        const auto on_host =
            tensors(codes.data(), (swizzle ? swizzled : linear).data(), globals.data());
        const auto on_device =
            tensors(d_codes.get(), (swizzle ? d_swizzled : d_linear).get(), d_globals.get());
        ASSERT_TRUE(
            static_cast<bool>(moe::pack_expert_cpu(w, 1, {on_host.data(), count}, host.data())));
        ASSERT_TRUE(static_cast<bool>(
            moe::pack_expert(w, 1, {on_device.data(), count}, device.get(), nullptr)));
        EXPECT_EQ(device.host(), host)
            << name(type) << " swizzle " << swizzle << " split " << split;
      }
}

/// The whole of the host's path against the device's: pack, multiply, combine.
TEST(Device, AgreesWithTheCpu) {
  const moe::Weights w{.experts = 3, .n = 136, .k = 144, .split = 64};
  const Quantised q = random_weights(w, ScaleMix::all, 3);
  const Device<std::uint16_t> a = random_activations(40 * 144, Dtype::bf16, 1);
  const std::vector<std::int32_t> offsets{0, 7, 7, 40};
  const Device<std::int32_t> rows(offsets);
  const Device<float> out(40 * 136);
  moe::Gemm g{.weights = q.shape,
              .a = a.get(),
              .a_stride = 144,
              .rows = rows.get(),
              .total_rows = 40,
              .out = out.get(),
              .out_stride = 136,
              .out_type = Dtype::f32};
  ASSERT_TRUE(static_cast<bool>(moe::gemm(g, nullptr)));
  const std::vector<float> device = out.host();
  const auto packed = q.packed.host();
  const auto host_a = a.host();
  std::vector<float> host(device.size());
  g.weights.packed = packed.data();
  g.a = host_a.data();
  g.rows = offsets.data();
  g.out = host.data();
  std::vector<std::uint8_t> aligned(packed.size() + 128);
  auto* p = aligned.data() + (128 - reinterpret_cast<std::uintptr_t>(aligned.data()) % 128) % 128;
  std::copy(packed.begin(), packed.end(), p);
  g.weights.packed = p;
  const auto done = moe::gemm_cpu(g);
  ASSERT_TRUE(static_cast<bool>(done)) << done.error().where << " " << done.error().what;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const float scale = std::fabs(host[i]) + 2.0F * 448.0F * 6.0F * 0.01F;
    ASSERT_NEAR(device[i], host[i], scale * 1e-4F) << i;
  }
}

}  // namespace
}  // namespace tilefit::gpu_test
