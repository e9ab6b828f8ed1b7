// SPDX-License-Identifier: Apache-2.0
// Candidates of other tools: what is read from each form of file, and what is none.
#include "tilefit/cli/candidates.h"

#include <gtest/gtest.h>

namespace tilefit {
namespace {

RequestDraft on(int cc) {
  RequestDraft draft;
  draft.request.arch = find_arch(cc);
  return draft;
}

std::vector<Candidate> read(std::string_view text, const std::string& path, int cc = 120) {
  Result<std::vector<Candidate>> found = read_candidates(text, path, on(cc));
  EXPECT_TRUE(found) << (found ? "" : found.error().what);
  return found ? *std::move(found) : std::vector<Candidate>{};
}

constexpr std::string_view kTuned =
    R"({"triton_version":"3.6.0","64":{"BLOCK_SIZE_M":128,"BLOCK_SIZE_N":256,"BLOCK_SIZE_K":128,"GROUP_SIZE_M":1,"num_warps":8,"num_stages":4}})";

TEST(Candidates, TunedConfig) {
  const auto found = read(kTuned, "E=8,N=512,device_name=X,dtype=fp8_w8a8.json");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, "64");
  const TileRequest& r = found[0].request;
  EXPECT_EQ(r.family, Family::triton);
  EXPECT_EQ(r.tile.operands, Operands::fp8);
  EXPECT_EQ(r.tile.m * 1000000 + r.tile.n * 1000 + r.tile.k, 128256128);
  EXPECT_EQ(r.tile.warps, 8);
  EXPECT_EQ(r.tile.stages, 4);
  const auto block =
      read(kTuned, "E=8,N=512,device_name=X,dtype=fp8_w8a8,block_shape=[128,128].json");
  EXPECT_EQ(block[0].request.tile.operands, Operands::fp8blockwise);
}

TEST(Candidates, TritonAutotuneCache) {
  const auto found = read(
      R"({"key":[1,2],"configs_timings":[[{"kwargs":{"BLOCK_M":64,"BLOCK_N":128,"BLOCK_K":64},"num_warps":4,"num_ctas":1,"num_stages":3},[0.1,0.1,0.1]]]})",
      "x.autotune.json");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, "configs_timings/0/0");
  EXPECT_EQ(found[0].request.tile.stages, 3);
  EXPECT_EQ(found[0].request.tile.warps, 4);
}

TEST(Candidates, KernelTunerCache) {
  const auto found = read(
      R"({"cache":{"64,64,64":{"BLOCK_SIZE_M":64,"BLOCK_SIZE_N":64,"BLOCK_SIZE_K":64,"time":"RuntimeFailedConfig"}}})",
      "cache.json");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, "cache/64,64,64");
  EXPECT_EQ(found[0].request.tile.stages, 0);
}

TEST(Candidates, MatmulHeuristics) {
  constexpr std::string_view kText =
      R"([{"cta_tile_m":128,"cta_tile_n":128,"cta_tile_k":256,"stages":3,"cluster_m":2,"cluster_n":1}])";
  const auto sm120 = read(kText, "x.json");
  ASSERT_EQ(sm120.size(), 1u);
  EXPECT_EQ(sm120[0].request.family, Family::cutlass);
  EXPECT_EQ(sm120[0].request.tile.kernel, KernelKind::dense);
  EXPECT_EQ(sm120[0].request.tile.cluster, Cluster{}) << "no clusters on sm_120";
  EXPECT_EQ(read(kText, "x.json", 90)[0].request.tile.cluster, (Cluster{2, 1, 1}));
}

TEST(Candidates, NoneIsAnError) {
  for (const std::string_view text :
       {"", "{", "[]", "{\"a\":1}", "{\"BLOCK_M\":0,\"BLOCK_N\":1,\"BLOCK_K\":1}",
        "{\"BLOCK_M\":64,\"BLOCK_N\":64,\"BLOCK_K\":1e99}", "\"BLOCK_M\""})
    EXPECT_FALSE(read_candidates(text, "x.json", on(120))) << text;
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "[";
  for (int i = 0; i < 5000; ++i) deep += "]";
  EXPECT_FALSE(read_candidates(deep, "x.json", on(120)));
}

}  // namespace
}  // namespace tilefit
