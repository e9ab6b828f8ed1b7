// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/ptx.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace tilefit {
namespace {

Result<Ptx> read(std::string_view text) { return read_ptx(ByteView(text)); }

TEST(Ptx, TargetBoundsAndSharedVariables) {
  const Result<Ptx> ptx = read(R"(// a comment { with a brace
.version 9.0
.target sm_90a
.shared .align 16 .b8 of_module[100];
.extern .shared .align 16 .b8 sized_at_launch[];
.visible .entry first(.param .u64 p)
.maxntid 256, 1, 1
.minnctapersm 2
{
	.shared .align 8 .b32 own[4][8];
	.shared .u64 one;
	{ // callseq
	ld.shared.u32 %r1, [of_module];
	}
	ret;
}
.entry second() .reqntid 64 { ret; }
.entry declared(.param .u64 p);
)");
  ASSERT_TRUE(ptx);
  EXPECT_EQ(text(ptx->target, CodeKind::ptx), "compute_90a");
  ASSERT_EQ(ptx->kernels.size(), 2U);
  const ImageFacts& first = ptx->kernels[0].facts;
  EXPECT_EQ(ptx->kernels[0].name, "first");
  EXPECT_EQ(first.static_smem, 128 + 8 + 8 + 100);  // aligned to 16 in between
  EXPECT_EQ(first.max_threads, (Dim3{256, 1, 1}));
  EXPECT_EQ(first.min_blocks_per_sm, 2);
  EXPECT_EQ(first.registers, std::nullopt);
  EXPECT_EQ(ptx->kernels[1].facts.static_smem, 0);
  EXPECT_EQ(ptx->kernels[1].facts.required_threads, (Dim3{64, 1, 1}));
}

TEST(Ptx, WhatTheCompilerWrote) {
  std::ifstream in(std::string(TILEFIT_TESTS_DIR) + "/read/data/small.ptx");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  ASSERT_TRUE(looks_like_ptx(ByteView(std::string_view(text))));
  const Result<Ptx> ptx = read(text);
  ASSERT_TRUE(ptx);
  EXPECT_EQ(ptx->target.sm, 80);
  ASSERT_EQ(ptx->kernels.size(), 7U);
  for (const CodeFunction& k : ptx->kernels)
    EXPECT_EQ(k.facts.static_smem, k.name == "both" ? 4096 : 0) << k.name;
}

TEST(Ptx, OtherTextIsNone) {
  EXPECT_FALSE(looks_like_ptx(ByteView(std::string_view("int main() {}"))));
  EXPECT_FALSE(read(".version 9.0\n.entry k() {}"));
  EXPECT_FALSE(read(".version 9.0\n.target texmode\n"));
}

TEST(Ptx, EveryTruncationIsAnswered) {
  std::ifstream in(std::string(TILEFIT_TESTS_DIR) + "/read/data/small.ptx");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    (void)read(cut);
  }
}

}  // namespace
}  // namespace tilefit
