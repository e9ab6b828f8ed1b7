// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/judge_kernel.h"

#include <gtest/gtest.h>

namespace tilefit {
namespace {

KernelImage image(CodeTarget target, CodeKind code = CodeKind::cubin) {
  KernelImage image{.target = target, .facts = {}};
  image.facts.code = code;
  image.facts.registers = 64;
  return image;
}

KernelFacts kernel(std::vector<KernelImage> images, std::vector<Bytes> dynamic = {0}) {
  KernelFacts facts;
  facts.symbol = "kernel";
  facts.images = std::move(images);
  facts.dynamic.bytes = std::move(dynamic);
  facts.dynamic.from = ReadFrom::host_code;
  return facts;
}

Outcome outcome(const KernelFacts& facts, int cc) {
  return judge(facts, *find_arch(cc), 0).outcome;
}

struct RunsRow {
  CodeTarget target;
  CodeKind code;
  int cc;
  bool runs;
};

TEST(JudgeKernel, WhichCodeRunsWhere) {
  constexpr CodeKind cubin = CodeKind::cubin, ptx = CodeKind::ptx;
  for (const RunsRow& row :
       {RunsRow{{90, 'a'}, cubin, 90, true}, RunsRow{{90, 'a'}, cubin, 100, false},
        RunsRow{{100, 'a'}, cubin, 103, false}, RunsRow{{100, 'f'}, cubin, 103, true},
        RunsRow{{103, 'f'}, cubin, 100, false}, RunsRow{{120, 'f'}, cubin, 121, true},
        RunsRow{{100, 'f'}, cubin, 120, false}, RunsRow{{80, 0}, cubin, 86, true},
        RunsRow{{86, 0}, cubin, 80, false}, RunsRow{{80, 0}, cubin, 90, false},
        RunsRow{{120, 0}, cubin, 121, true}, RunsRow{{80, 0}, ptx, 120, true},
        RunsRow{{90, 'a'}, ptx, 100, false}, RunsRow{{100, 'f'}, ptx, 103, true},
        RunsRow{{100, 'f'}, ptx, 120, false}, RunsRow{{120, 0}, ptx, 90, false}})
    EXPECT_EQ(runs_on(row.target, row.code, row.cc), row.runs)
        << text(row.target, row.code) << " on " << row.cc;
}

TEST(JudgeKernel, TheDriverTakesTheNewestCubinAndPtxOnlyWithoutOne) {
  const KernelFacts facts = kernel({image({80, 0}), image({90, 0}, CodeKind::ptx), image({86, 0}),
                                    image({120, 'f'}), image({120, 'a'})});
  EXPECT_EQ(image_for(facts, 89), 2);
  EXPECT_EQ(image_for(facts, 120), 4);
  EXPECT_EQ(image_for(facts, 121), 3);
  EXPECT_EQ(image_for(facts, 100), 1);
  EXPECT_EQ(image_for(facts, 75), -1);
}

TEST(JudgeKernel, SharedMemoryIsStaticAndDynamicAndTheLimitIsInclusive) {
  KernelImage with_static = image({120, 0});
  with_static.facts.static_smem = 5632;
  EXPECT_EQ(outcome(kernel({with_static}, {101376 - 5632}), 120), Outcome::fits);
  const KernelVerdict over = judge(kernel({with_static}, {131072}), *find_arch(120), 3);
  EXPECT_EQ(over.outcome, Outcome::over_limit);
  EXPECT_EQ(over.needs, 136704);
  EXPECT_EQ(over.gpu, 3);
}

TEST(JudgeKernel, UnknownBytesStayUnknownUnlessTheStaticOnesSuffice) {
  EXPECT_EQ(outcome(kernel({image({120, 0})}, {}), 120), Outcome::unknown);
  KernelImage large = image({120, 0});
  large.facts.static_smem = 200000;
  EXPECT_EQ(outcome(kernel({large}, {}), 120), Outcome::over_limit);
  KernelFacts bounded = kernel({image({120, 0})}, {});
  bounded.dynamic.no_opt_in = true;
  EXPECT_EQ(outcome(bounded, 120), Outcome::fits);
}

TEST(JudgeKernel, SeveralSizes) {
  KernelFacts launches = kernel({image({120, 0})}, {50000, 200000});
  EXPECT_EQ(outcome(launches, 120), Outcome::over_limit) << "one of the launches fails";
  KernelFacts builders = launches;
  builders.dynamic.from = ReadFrom::name;
  EXPECT_EQ(outcome(builders, 120), Outcome::unknown) << "only one of the builders is right";
  KernelFacts partial = kernel({image({120, 0})}, {50000});
  partial.dynamic.partial = true;
  EXPECT_EQ(outcome(partial, 120), Outcome::unknown) << "another launch may ask for more";
}

TEST(JudgeKernel, StubsRegistersAndNamesOfOtherChips) {
  KernelImage stub = image({120, 0});
  stub.facts.body = Body::stub;
  EXPECT_EQ(outcome(kernel({stub}), 120), Outcome::stub);
  KernelImage hungry = image({120, 0});
  hungry.facts.registers = 128;
  hungry.facts.max_threads = {1024, 1, 1};
  EXPECT_EQ(outcome(kernel({hungry}), 120), Outcome::too_many_registers);
  hungry.facts.registers = 64;
  EXPECT_EQ(outcome(kernel({hungry}), 120), Outcome::fits);
  KernelFacts tagged = kernel({image({120, 0})});
  tagged.symbol = "_ZN7cutlass..MainloopSm90TmaGmmaWarpSpecialized..";
  EXPECT_EQ(outcome(tagged, 120), Outcome::arch_tag_mismatch);
  tagged.symbol = "..46MainloopSm1004Next..";
  EXPECT_EQ(outcome(tagged, 120), Outcome::arch_tag_mismatch);
  tagged.symbol = "..Sm90TreeVisitor..MainloopSm120TmaWarpSpecialized..";
  EXPECT_EQ(outcome(tagged, 120), Outcome::fits);
  EXPECT_EQ(outcome(kernel({image({90, 'a'})}), 120), Outcome::no_code);
}

TEST(JudgeKernel, PtxBesideACubinThatRunsIsIdle) {
  CodeEntry cubin, ptx, lone;
  cubin.target = CodeTarget{120, 0};
  ptx.code = lone.code = CodeKind::ptx;
  ptx.target = lone.target = CodeTarget{120, 0};
  lone.group = 1;
  const CodeList list{.entries = {cubin, ptx, lone}, .groups = 2, .notes = {}};
  EXPECT_EQ(without_idle_ptx(list, {120, 121}).entries.size(), 2U);
  EXPECT_EQ(without_idle_ptx(list, {90}).entries.size(), 1U);
}

}  // namespace
}  // namespace tilefit
