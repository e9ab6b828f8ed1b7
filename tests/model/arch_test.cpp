// SPDX-License-Identifier: Apache-2.0
#include "tilefit/model/arch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace tilefit {
namespace {

TEST(Arch, OptInLimitsOfOneBlock) {
  const std::map<int, std::int64_t> limits{
      {70, 98304},   {72, 98304},   {75, 65536},   {80, 166912},  {86, 101376},
      {87, 166912},  {88, 101376},  {89, 101376},  {90, 232448},  {100, 232448},
      {101, 232448}, {103, 232448}, {110, 232448}, {120, 101376}, {121, 101376}};
  ASSERT_EQ(kArchs.size(), limits.size());
  for (const Arch& a : kArchs) EXPECT_EQ(a.smem_per_block, limits.at(a.cc)) << a.name;
}

TEST(Arch, PoolsOfAnSm) {
  EXPECT_EQ(arch(120).smem_per_sm, 102400);
  EXPECT_EQ(arch(80).smem_per_sm, 167936);
  EXPECT_EQ(arch(90).smem_per_sm, 233472);
}

TEST(Arch, RowsAscendAndAreNamedByTheirComputeCapability) {
  for (std::size_t i = 0; i < kArchs.size(); ++i) {
    EXPECT_EQ(kArchs[i].name, "sm_" + std::to_string(kArchs[i].cc));
    if (i > 0) {
      EXPECT_LT(kArchs[i - 1].cc, kArchs[i].cc);
    }
  }
}

TEST(Arch, EachRowIsConsistent) {
  for (const Arch& a : kArchs) {
    SCOPED_TRACE(a.name);
    EXPECT_EQ(a.smem_per_block + a.smem_reserved, a.smem_per_sm);
    EXPECT_EQ(a.smem_reserved, a.cc >= 80 ? 1024 : 0);
    EXPECT_EQ(a.smem_default, 49152);
    EXPECT_GE(a.smem_per_block, a.smem_default);
    EXPECT_EQ(a.smem_per_block % a.smem_granularity, 0);
    EXPECT_EQ(a.threads_per_sm % 32, 0);
    EXPECT_LE(a.threads_per_block, a.threads_per_sm);
    EXPECT_LE(a.blocks_per_sm * 32, a.threads_per_sm);
    EXPECT_LE(a.registers_per_block, a.registers_per_sm);
    EXPECT_EQ(a.cluster_portable, a.cc >= 90 ? 8 : 1);
    EXPECT_TRUE(a.cluster_max == 0 || a.cluster_max >= a.cluster_portable);
  }
}

TEST(Arch, EveryGroupOfNumbersNamesItsSource) {
  for (const Arch& a : kArchs) {
    SCOPED_TRACE(a.name);
    for (const Sources& from :
         {a.smem_from, a.granularity_from, a.registers_from, a.threads_from, a.cluster_from}) {
      EXPECT_NE(from[0], Source::none);
      EXPECT_TRUE(std::is_partitioned(from.begin(), from.end(),
                                      [](Source s) { return s != Source::none; }));
    }
  }
}

TEST(Arch, OnlyTheH200sRoundingIsMeasured) {
  for (const Arch& a : kArchs) EXPECT_EQ(a.granularity_measured(), a.cc == 90) << a.name;
}

TEST(Arch, FindsByComputeCapability) {
  ASSERT_NE(find_arch(121), nullptr);
  EXPECT_EQ(find_arch(121)->name, "sm_121");
  EXPECT_EQ(find_arch(122), nullptr);
  EXPECT_EQ(find_arch(-120), nullptr);
  static_assert(arch(90).smem_per_block == 232448);
}

TEST(Source, EachRowSaysWhatAndWhere) {
  for (const SourceRow& source : kSources) {
    if (source.id == Source::none) continue;
    EXPECT_FALSE(source.title.empty());
    EXPECT_FALSE(source.where.empty()) << source.title;
    EXPECT_EQ(std::count_if(kSources.begin(), kSources.end(),
                            [&](const SourceRow& other) { return other.title == source.title; }),
              1)
        << source.title;
  }
}

}  // namespace
}  // namespace tilefit
