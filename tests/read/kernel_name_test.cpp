// SPDX-License-Identifier: Apache-2.0
// What names say: the type of a CUTLASS kernel, its bytes, families and short names.
#include "tilefit/read/kernel_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/read/name_rows.h"
#include "tilefit/plan/layout_named.h"
#include "tilefit/read/mangled.h"
#include "tilefit/read/short_name.h"
#include "tilefit/read/type_text.h"

namespace tilefit {
namespace {

/// Classes that only forks of CUTLASS have, and how many rows of the truth they make.
const std::map<std::string, int> kWithoutForm{
    {"the collective CollectiveMmaArrayMixedInput is not modelled", 23},
    {"the tile scheduler PersistentAsyncInputScheduler is not modelled", 1},
    {"the epilogue CollectiveEpilogueQutlass is not modelled", 1},
};

TEST(KernelName, BytesAreThoseOfTheCompiler) {
  std::map<std::string, int> without;
  int right = 0;
  for (const names::Row& row : names::sized()) {
    const KernelName name = read_kernel_name(row.at("symbol"));
    ASSERT_TRUE(name.cutlass);
    if (!name.cutlass->why.empty()) {
      ++without[name.cutlass->why];
      EXPECT_TRUE(name.dynamic.bytes.empty());
      continue;
    }
    const Bytes old_bytes = named_storage(name.cutlass->gemm, Builder::cutlass_4_2).plan.total;
    const Bytes new_bytes = named_storage(name.cutlass->gemm, Builder::cutlass_4_5).plan.total;
    if (!row.at("sizeof_4.2.1").empty())
      EXPECT_EQ(std::to_string(old_bytes), row.at("sizeof_4.2.1")) << row.at("idx");
    if (!row.at("sizeof_4.5.0").empty())
      EXPECT_EQ(std::to_string(new_bytes), row.at("sizeof_4.5.0")) << row.at("idx");
    EXPECT_THAT(name.dynamic.bytes, testing::Contains(std::stoll(row.at("host_imm"))))
        << row.at("idx");
    EXPECT_EQ(name.dynamic.from, ReadFrom::name);
    ++right;
  }
  EXPECT_EQ(without, kWithoutForm);
  EXPECT_EQ(right, 371);
}

TEST(KernelName, RegionsOfEveryTypeCoverItsBytes) {
  for (const names::Row& row : names::sized()) {
    const KernelName name = read_kernel_name(row.at("symbol"));
    if (!name.cutlass->why.empty()) continue;
    for (const Builder builder : {Builder::cutlass_4_2, Builder::cutlass_4_5}) {
      const SmemPlan plan = named_storage(name.cutlass->gemm, builder).plan;
      Bytes end = 0;
      for (const Region& region : plan) {
        EXPECT_EQ(region.offset, end);
        EXPECT_GT(region.bytes, 0);
        end = region.end();
      }
      EXPECT_EQ(end, plan.total);
      EXPECT_EQ(plan.total % plan.align, 0);
    }
  }
}

TEST(KernelName, DemangledNamesSayTheSame) {
  for (const names::Row& row : names::sized()) {
    const std::string& symbol = row.at("symbol");
    const Result<TypeTree> tree = parse_mangled(symbol);
    ASSERT_TRUE(tree);
    const std::string text = type_text(*tree, tree->root);
    const KernelName a = read_kernel_name(symbol), b = read_kernel_name(text);
    EXPECT_EQ(a.short_name, b.short_name);
    EXPECT_EQ(a.family, b.family);
    EXPECT_EQ(a.arch, b.arch);
    EXPECT_EQ(a.dynamic, b.dynamic);
  }
}

/// A grouped sm_120 NVFP4 kernel as the MoE launcher names it, with FINALIZE.
std::string finalize_kernel(const std::string& stages, const std::string& c) {
  const std::string
      c_of = "cute::C<",
      sf = "cute::Layout<cute::tuple<cute::tuple<cute::tuple<cute::C<32>, cute::C<4>>, int>, "
           "cute::tuple<cute::tuple<cute::C<16>, cute::C<4>>, int>, cute::tuple<cute::C<1>, int>>, "
           "cute::tuple<int>>*";
  const std::string tile = "cute::tuple<cute::C<128>, cute::C<256>, cute::C<128>>";
  const auto atom = [](int swizzle, int bits) {
    return "cute::ComposedLayout<cute::Swizzle<" + std::to_string(swizzle) +
           ", 4, 3>, cute::smem_ptr_flag_bits<" + std::to_string(bits) +
           ">, cute::Layout<int, int>>";
  };
  const std::string operand =
      "cute::tuple<cutlass::float_e2m1_t, cutlass::float_ue4m3_t>, cute::tuple<cute::tuple<long, "
      "cute::C<1>, cute::C<0>>*, " +
      sf + ">";
  const std::string loads = "cute::tuple<L, L>, cute::tuple<" + atom(2, 4) +
                            ", int>, cute::tuple<int, int>, cute::identity";
  return "void "
         "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::"
         "GroupProblemShape<cute::tuple<int, int, int>>, "
         "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::"
         "MainloopSm120ArrayTmaWarpSpecializedBlockScaled<" +
         stages +
         ", 3, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1>>, "
         "cutlass::gemm::KernelPtrArrayTmaWarpSpecializedCooperativeBlockScaledSm120<3>>, " +
         tile + ", " + operand + ", " + operand + ", cute::TiledMMA<int>, " + loads + ", " + loads +
         ">, "
         "cutlass::epilogue::collective::CollectiveEpilogue<cutlass::epilogue::"
         "Sm90PtrArrayTmaWarpSpecialized<2, 2, 4, false, false, 2>, " +
         tile + ", cute::tuple<cute::C<64>, cute::C<32>>, " + c +
         ", cute::tuple<long, cute::C<1>, cute::C<0>>*, void, cute::tuple<long, cute::C<1>, "
         "cute::C<0>>*, "
         "cutlass::epilogue::fusion::FusionCallbacks<cutlass::epilogue::"
         "Sm120PtrArrayTmaWarpSpecialized<2, 2, 4, false, false, 2>, "
         "cutlass::epilogue::fusion::ScaledAccPerColBiasPerRowScaleScatter<cutlass::layout::"
         "RowMajor, cutlass::bfloat16_t, float, cutlass::bfloat16_t, float, float, 8, 8, "
         "(cutlass::FloatRoundStyle)2>, " +
         tile + ", cute::tuple<cute::C<64>, cute::C<32>>>, L, " + atom(2, 16) + ", L, L, " +
         atom(2, 16) + ", L, L, void>, void, void>>(int)";
}

// The tile of the case: 102400 B, 1024 more than sm_120 has; 98304 and less without C.
TEST(KernelName, TheTileThatDoesNotFit) {
  const KernelName name = read_kernel_name(finalize_kernel("3", "cutlass::bfloat16_t"));
  EXPECT_EQ(name.short_name, "cutlass grouped sm120 nvfp4 128x256x128 s3 FINALIZE bf16");
  EXPECT_THAT(name.dynamic.bytes, testing::ElementsAre(102400)) << name.dynamic.why;
  EXPECT_EQ(name.family, "cutlass");
  EXPECT_EQ(name.arch, 120);
  EXPECT_THAT(read_kernel_name(finalize_kernel("3", "void")).dynamic.bytes,
              testing::ElementsAre(94208));
  EXPECT_THAT(read_kernel_name(finalize_kernel("2", "cutlass::bfloat16_t")).dynamic.bytes,
              testing::ElementsAre(74752));
}

TEST(KernelName, VersionsThatDifferAreBothGiven) {
  for (const names::Row& row : names::sized()) {
    if (row.at("mainloop") != "MainloopSm100ArrayTmaUmmaWarpSpecializedBlockScaled") continue;
    const KernelName name = read_kernel_name(row.at("symbol"));
    const bool tagged = name.cutlass->arch_tag;  // later versions name the architecture
    EXPECT_EQ(name.dynamic.bytes.size(), tagged ? 1u : 2u);
    EXPECT_EQ(name.dynamic.builder, tagged ? "cutlass-4.5" : "");
    EXPECT_EQ(name.dynamic.why.empty(), tagged);
  }
}

TEST(KernelName, UnknownPartsAreNamed) {
  std::string name = finalize_kernel("3", "cutlass::bfloat16_t");
  name.replace(name.find("ScaledAccPerColBias"), 19, "ScaledAccPerRowBlah");
  EXPECT_EQ(read_kernel_name(name).dynamic.why,
            "the fusion ScaledAccPerRowBlahPerRowScaleScatter is not modelled");
  EXPECT_TRUE(read_kernel_name(name).dynamic.bytes.empty());
  name = finalize_kernel("3", "cutlass::bfloat16_t");
  name.replace(name.find("MainloopSm120Array"), 18, "MainloopSm130Array");
  EXPECT_EQ(read_kernel_name(name).dynamic.why,
            "the mainloop MainloopSm130ArrayTmaWarpSpecializedBlockScaled is not modelled");
  EXPECT_EQ(read_kernel_name(finalize_kernel("0", "void")).dynamic.bytes.size(), 0u);
}

TEST(KernelName, FamiliesAndShortNames) {
  const KernelName flash = read_kernel_name(
      "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)64, (int)4, "
      "(bool)0, (bool)0, "
      "cutlass::half_t, Flash_kernel_traits<(int)128, (int)64, (int)64, (int)4, cutlass::half_t>>, "
      "(bool)0, (bool)1>(flash::Flash_fwd_params)");
  EXPECT_EQ(flash.family, "flash-attention");
  EXPECT_EQ(flash.short_name,
            "flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128,64,64,4,false,false,fp16,Flash_"
            "kernel_traits<128,64,64,4,fp16>>,false,true>");
  EXPECT_EQ(read_kernel_name("fmhaSm103aKernel_QkvE4m3OBfloat16").family, "trtllm-gen");
  EXPECT_EQ(read_kernel_name("_ZN9deep_gemm23sm90_fp8_gemm_1d2d_implILj128EEEvv").arch, 90);
  EXPECT_EQ(read_kernel_name("_ZN9deep_gemm23sm90_fp8_gemm_1d2d_implILj128EEEvv").family,
            "deepgemm");
  EXPECT_EQ(read_kernel_name("fused_moe_kernel").short_name, "fused_moe_kernel");
  EXPECT_EQ(read_kernel_name("fused_moe_kernel").family, "");
}

TEST(KernelName, WhatCannotBeReadIsShownSafely) {
  const KernelName name = read_kernel_name("\x1b[31mred\x07<");
  EXPECT_FALSE(name.readable);
  EXPECT_EQ(name.short_name, "?[31mred?<");
  EXPECT_FALSE(name.dynamic.why.empty());
}

}  // namespace
}  // namespace tilefit
