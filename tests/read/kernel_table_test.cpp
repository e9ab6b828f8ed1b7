// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/kernel_table.h"

#include <gmock/gmock.h>

#include "tests/read/builders.h"
#include "tilefit/read/combine_smem.h"
#include "tilefit/read/read_entries.h"

namespace tilefit {
namespace {

NamedFacts function(std::string name, Body body = Body::real, bool traps = false) {
  NamedFacts f{.name = std::move(name), .facts = {}};
  f.facts.body = body;
  f.facts.traps = traps;
  return f;
}

EntryFacts entry(int sm, std::vector<NamedFacts> functions) {
  return {.target = {sm, 0},
          .code = CodeKind::cubin,
          .tool_version = {},
          .functions = std::move(functions)};
}

TEST(KernelTable, OneKernelForEachSymbolWithItsImages) {
  KernelTable table(7);
  table.add(entry(80, {function("a"), function("b")}), 0);
  table.add(entry(90, {function("b"), function("a")}), 1);
  table.add(entry(90, {function("a")}), 2);  // the same again, from another object file
  NamedFacts device = function("helper");
  device.facts.is_kernel = false;
  table.add(entry(90, {device}), 3);
  const std::vector<KernelFacts> kernels = table.take();
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].symbol, "a");
  EXPECT_EQ(kernels[0].file, 7);
  EXPECT_EQ(kernels[0].images.size(), 2U);
  EXPECT_EQ(kernels[1].images[1].entry, 1);
}

TEST(KernelTable, EmptyKernelsAreNoStubsUnlessSomethingSaysSo) {
  KernelTable table(0);
  table.add(entry(80, {function("EmptyKernel", Body::stub), function("traps", Body::stub, true),
                       function("MainloopSm90", Body::stub), function("real", Body::stub)}),
            0);
  table.add(entry(90, {function("EmptyKernel", Body::stub), function("real")}), 1);
  const std::vector<KernelFacts> kernels = table.take();
  EXPECT_EQ(kernels[0].images[0].facts.body, Body::real);
  EXPECT_EQ(kernels[1].images[0].facts.body, Body::stub);
  EXPECT_EQ(kernels[2].images[0].facts.body, Body::stub);
  EXPECT_EQ(kernels[3].images[0].facts.body, Body::stub);
}

TEST(KernelTable, ASizeInTheCodeIsTheKernels) {
  KernelTable table(0);
  NamedFacts sized = function("fmha");
  sized.facts.embedded_smem = 226304;
  table.add(entry(100, {sized}), 0);
  const std::vector<KernelFacts> kernels = table.take();
  EXPECT_EQ(kernels[0].dynamic.bytes, (std::vector<Bytes>{226304}));
  EXPECT_EQ(kernels[0].dynamic.from, ReadFrom::embedded);
}

DynamicSmem smem(ReadFrom from, std::vector<Bytes> bytes, std::string why = {}) {
  DynamicSmem s;
  s.bytes = std::move(bytes);
  s.from = from;
  s.why = std::move(why);
  return s;
}

TEST(CombineSmem, AgreementKeepsTheBetterAndConflictKeepsBoth) {
  const DynamicSmem host = smem(ReadFrom::host_code, {100});
  EXPECT_EQ(combine(host, smem(ReadFrom::name, {100})), host);
  EXPECT_EQ(combine(host, smem(ReadFrom::name, {100, 200})), host) << "one of two builders";
  EXPECT_EQ(combine(host, smem(ReadFrom::none, {}, "no model")), host);
  EXPECT_EQ(combine(smem(ReadFrom::none, {}, "lost"), smem(ReadFrom::name, {5})),
            smem(ReadFrom::name, {5}));
  EXPECT_EQ(combine(smem(ReadFrom::none, {}, "lost"), smem(ReadFrom::none, {}, "no model")).why,
            "lost");
  const DynamicSmem both = combine(host, smem(ReadFrom::name, {300}));
  EXPECT_TRUE(both.disagrees);
  EXPECT_EQ(both.bytes, (std::vector<Bytes>{100, 300}));
  EXPECT_EQ(both.why, "host code says 100 B, name says 300 B");
}

TEST(ReadEntries, ResultsComeInOrderWhateverTheThreads) {
  std::vector<std::string> cubins;
  CodeList list;
  for (int i = 0; i < 200; ++i) cubins.push_back(build_cubin({{.name = "k" + std::to_string(i)}}));
  cubins[50] = "damaged";
  for (const std::string& cubin : cubins) {
    CodeEntry e;
    e.payload = ByteView(std::string_view(cubin));
    e.unpacked_size = e.payload.size();
    list.entries.push_back(e);
  }
  for (int threads : {1, 4}) {
    int next = 0;
    read_entries(
        list, {.threads = threads, .in_flight = 20000}, [](ByteView) {},
        [&](const CodeEntry&, Result<EntryFacts> facts) {
          EXPECT_EQ(static_cast<bool>(facts), next != 50);
          if (facts) {
            EXPECT_EQ(facts->functions[0].name, "k" + std::to_string(next));
          }
          ++next;
        });
    EXPECT_EQ(next, 200);
  }
}

}  // namespace
}  // namespace tilefit
