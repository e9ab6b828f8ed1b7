// SPDX-License-Identifier: Apache-2.0
// The one sentence for each way a tile can end, and the region it blames.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tilefit/plan/culprit.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

using testing::HasSubstr;

TileRequest nvfp4(int m, int n, int k, Epilogue epilogue = Epilogue::none) {
  return {.arch = find_arch(120), .tile = {.m = m, .n = n, .k = k, .epilogue = epilogue}};
}

Culprit of(const TileRequest& r) { return culprit(plan_tile(r)); }

TEST(Culprit, Fits) {
  const Culprit c = of(nvfp4(128, 128, 128));
  EXPECT_FALSE(c.found);
  EXPECT_THAT(c.sentence, HasSubstr("89088 B of 101376 B, 12288 B to spare"));
}

TEST(Culprit, FitsButDoesNotCompile) {
  const Culprit c = of(nvfp4(64, 128, 128));
  EXPECT_THAT(
      c.sentence,
      HasSubstr("fits, but does not compile: static_assert: TMA requires CTA_Tile and SLayout"));
}

TEST(Culprit, BufferThatIsNeverRead) {
  const Culprit c = of(nvfp4(128, 256, 128, Epilogue::finalize));
  EXPECT_TRUE(c.found);
  EXPECT_EQ(c.part, Part::epilogue_c);
  EXPECT_EQ(c.sentence,
            "needs 102400 B, 1024 B more than a block may have: epilogue.c stages 8192 B that this "
            "epilogue never reads, "
            "and the builder chose 3 stages by a sum of 101168 B that leaves out alignment");
}

TEST(Culprit, StagesAskedFor) {
  TileRequest r = nvfp4(128, 128, 128);
  r.tile.stages = 7;
  const Culprit c = of(r);
  EXPECT_TRUE(c.found);
  EXPECT_EQ(c.part, Part::mainloop_a);
  EXPECT_THAT(c.sentence, HasSubstr("7 stages were asked for; the builder would take 4"));
}

TEST(Culprit, FloorOfTwoStages) {
  const Culprit c = of({.arch = find_arch(90),
                        .tile = {.m = 256, .n = 128, .k = 256, .operands = Operands::bf16xmxfp4}});
  EXPECT_TRUE(c.found);
  EXPECT_THAT(c.sentence, HasSubstr("needs 235520 B, 3072 B more than a block may have: the "
                                    "builder's quotient is 1 stage, raised to 2"));
}

TEST(Culprit, StaticBytesOnTop) {
  TileRequest r = nvfp4(128, 128, 128);
  r.static_bytes = 13000;
  EXPECT_THAT(of(r).sentence, HasSubstr("712 B more than a block may have: 13000 B of static "
                                        "shared memory come on top of the 89088 B planned"));
}

TEST(Culprit, LimitThatWasSet) {
  TileRequest r = nvfp4(128, 128, 128);
  r.limit = 65536;
  EXPECT_THAT(of(r).sentence, HasSubstr("the limit was set to 65536 B"));
}

TEST(Culprit, TooFewStages) {
  EXPECT_THAT(of(nvfp4(256, 256, 256)).sentence,
              HasSubstr("does not compile: room for 1 stage, two are the least; a stage takes "
                        "73856 B of the 87632 B that the epilogue's 13312 B leave"));
  TileRequest r = nvfp4(128, 128, 128);
  r.tile.stages = 1;
  EXPECT_EQ(of(r).sentence, "does not compile: 1 stage asked for, two are the least");
}

TEST(Culprit, RefusedNotBuiltUnknown) {
  EXPECT_THAT(of(nvfp4(128, 8, 128)).sentence,
              HasSubstr("the builder refuses it: static_assert: EPI_TILE_N must divide CTA_N"));
  TileRequest r = nvfp4(128, 128, 128);
  r.arch = find_arch(80);
  EXPECT_THAT(of(r).sentence, HasSubstr("no such kernel: the launcher has no"));
  r = nvfp4(128, 128, 128);
  r.family = Family::tilefit;
  EXPECT_THAT(of(r).sentence, HasSubstr("no such kernel: this library's kernels are for sm_90"));
}

}  // namespace
}  // namespace tilefit
