// SPDX-License-Identifier: Apache-2.0
// The case that this project was born from, against numbers worked out by hand from the layout of
// the compiled types: ten tiles, the two byte ledgers, and what makes the failing pair fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

TileRequest nvfp4(int m, int n, int k, Epilogue epilogue, bool swap_ab) {
  return {.arch = find_arch(120),
          .tile = {.m = m, .n = n, .k = k, .epilogue = epilogue, .swap_ab = swap_ab}};
}

struct Expected {
  int m, n, k;
  Epilogue epilogue;
  bool swap_ab;
  int stages;
  Bytes total, over;
};

constexpr Epilogue kNone = Epilogue::none, kFinalize = Epilogue::finalize;

// clang-format off
constexpr Expected kTenTiles[]{
    {128, 128, 128, kNone,     false, 4,  89088, -12288},
    {128, 128, 128, kFinalize, false, 4,  93184,  -8192},
    {128, 128, 256, kNone,     false, 2,  89088, -12288},
    {128, 128, 256, kFinalize, false, 2,  93184,  -8192},
    {128, 256, 128, kNone,     false, 3,  98304,  -3072},
    {128, 256, 128, kFinalize, false, 3, 102400,   1024},
    {128, 256, 128, kFinalize, true,  2,  74752, -26624},
    {256, 128, 128, kNone,     false, 3,  98304,  -3072},
    {256, 128, 128, kFinalize, false, 3, 102400,   1024},
    {256, 128, 128, kFinalize, true,  2,  74752, -26624},
};
// clang-format on

TEST(TheCase, TenTilesByHand) {
  for (const Builder builder : {Builder::cutlass_4_2, Builder::cutlass_4_5}) {
    for (const int cc : {120, 121}) {
      for (const Expected& e : kTenTiles) {
        TileRequest request = nvfp4(e.m, e.n, e.k, e.epilogue, e.swap_ab);
        request.builder = builder;
        request.arch = find_arch(cc);
        const TilePlan plan = plan_tile(request);
        SCOPED_TRACE(testing::Message() << e.m << "x" << e.n << "x" << e.k << " on sm_" << cc);
        EXPECT_EQ(plan.outcome, e.over > 0 ? Outcome::over_limit : Outcome::fits);
        EXPECT_EQ(plan.stages, e.stages);
        EXPECT_EQ(plan.smem.total, e.total);
        EXPECT_EQ(plan.over(), e.over);
        EXPECT_EQ(plan.limit, 101376);
      }
    }
  }
}

/// Without swap-AB only FINALIZE differs; with NONE swapping changes nothing.
TEST(TheCase, SwapChangesNothingWithEpilogueNone) {
  for (const Expected& e : kTenTiles) {
    if (e.epilogue != kNone) continue;
    const TilePlan swapped = plan_tile(nvfp4(e.m, e.n, e.k, kNone, true));
    EXPECT_EQ(swapped.stages, e.stages);
    EXPECT_EQ(swapped.smem.total, e.total);
  }
}

struct Place {
  Part part;
  Bytes offset, bytes;
  bool operator==(const Place&) const = default;
};

void PrintTo(const Place& p, std::ostream* out) {
  *out << name(p.part) << " [" << p.offset << ", +" << p.bytes << ")";
}

std::vector<Place> places(const TilePlan& plan) {
  std::vector<Place> out;
  for (const Region& r : plan.smem) out.push_back({r.part, r.offset, r.bytes});
  return out;
}

TEST(TheCase, LedgerOf128x256x128) {
  const std::vector<Place> expected{
      {Part::mainloop_a, 0, 24576},
      {Part::mainloop_b, 24576, 49152},
      {Part::mainloop_sfa, 73728, 3072},
      {Part::mainloop_sfb, 76800, 6144},
      {Part::epilogue_c, 82944, 8192},
      {Part::epilogue_d, 91136, 8192},
      {Part::epilogue_thread, 99328, 512},
      {Part::pad, 99840, 512},
      {Part::pipeline_scheduler, 100352, 128},
      {Part::pipeline_mainloop, 100480, 48},
      {Part::pipeline_epilogue_load, 100528, 32},
      {Part::pipeline_load_order, 100560, 16},
      {Part::scheduler_response, 100576, 128},
      {Part::pad, 100704, 32},
      {Part::tensormap_mainloop, 100736, 512},
      {Part::tensormap_epilogue, 101248, 384},
      {Part::pad, 101632, 768},
  };
  EXPECT_EQ(places(plan_tile(nvfp4(128, 256, 128, kFinalize, false))), expected);
}

TEST(TheCase, LedgerOf256x128x128) {
  const std::vector<Place> expected{
      {Part::mainloop_a, 0, 49152},
      {Part::mainloop_b, 49152, 24576},
      {Part::mainloop_sfa, 73728, 6144},
      {Part::mainloop_sfb, 79872, 3072},
      {Part::epilogue_c, 82944, 8192},
      {Part::epilogue_d, 91136, 8192},
      {Part::epilogue_thread, 99328, 256},
      {Part::pad, 99584, 768},
      {Part::pipeline_scheduler, 100352, 128},
      {Part::pipeline_mainloop, 100480, 48},
      {Part::pipeline_epilogue_load, 100528, 32},
      {Part::pipeline_load_order, 100560, 16},
      {Part::scheduler_response, 100576, 128},
      {Part::pad, 100704, 32},
      {Part::tensormap_mainloop, 100736, 512},
      {Part::tensormap_epilogue, 101248, 384},
      {Part::pad, 101632, 768},
  };
  EXPECT_EQ(places(plan_tile(nvfp4(256, 128, 128, kFinalize, false))), expected);
}

TEST(TheCase, TheBuildersOwnSum) {
  const Ledger l = ledger(nvfp4(128, 256, 128, kFinalize, false));
  EXPECT_EQ(l.capacity, 101376);
  EXPECT_EQ(l.reserved, 128 + 256 + 48);
  EXPECT_EQ(l.carveout, 17408);
  EXPECT_EQ(l.stage, 16384 + 8192 + 1024 + 2048 + 128);
  EXPECT_EQ(l.quotient, 3);
  Bytes believed = 0, real = 0;
  for (const LedgerLine& line : l.lines) {
    believed += line.believed;
    real += line.real;
  }
  EXPECT_EQ(believed, 101168);
  EXPECT_EQ(real, 102400);
  EXPECT_EQ(real - believed, 256 + 128 + 16 + 512 + 32 + 768 - 336 - 48 - 96);
}

/// 4.5 repaired these through a larger carve-out; 4.2 needs 102400 bytes for them.
TEST(TheCase, TilesThatCutlass42AloneGetsWrong) {
  for (const auto& [m, n] : {std::pair{128, 128}, std::pair{128, 256}, std::pair{256, 128}}) {
    TileRequest request = nvfp4(m, n, 64, kFinalize, false);
    request.builder = Builder::cutlass_4_2;
    EXPECT_EQ(plan_tile(request).smem.total, 102400) << m << "x" << n;
    request.builder = Builder::cutlass_4_5;
    EXPECT_EQ(plan_tile(request).outcome, Outcome::fits) << m << "x" << n;
  }
  EXPECT_EQ(plan_tile(nvfp4(256, 64, 64, kFinalize, false)).outcome, Outcome::over_limit);
}

struct Change {
  std::string flags;
  int stages;
  Bytes total;
  Builds builds;
};

/// Both tiles give the same totals.
TEST(TheCase, WhatMakesTheFailingPairFit) {
  for (const bool wide : {true, false}) {
    const std::string half = wide ? "128x256x64" : "256x128x64";
    const std::vector<Change> expected{
        {"--c-type void", 3, 94208, wide ? Builds::compiled : Builds::type_only},
        {"--stages 2", 2, 74752, Builds::type_only},
        {"--swap-ab", 2, 74752, Builds::type_only},
        {"--tile " + half, 5, 89088, Builds::type_only},
    };
    const TilePlan broken =
        plan_tile(nvfp4(wide ? 128 : 256, wide ? 256 : 128, 128, kFinalize, false));
    const std::vector<Fix> found = fixes(broken);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found.front().flags, "--c-type void");  // keeps the stages and the tile
    for (const Change& e : expected) {
      const auto fix = std::find_if(found.begin(), found.end(),
                                    [&](const Fix& f) { return f.flags == e.flags; });
      ASSERT_NE(fix, found.end()) << e.flags;
      EXPECT_EQ(fix->plan.stages, e.stages) << e.flags;
      EXPECT_EQ(fix->plan.smem.total, e.total) << e.flags;
      EXPECT_EQ(fix->plan.builds, e.builds) << e.flags;
      EXPECT_EQ(fix->plan.outcome, Outcome::fits) << e.flags;
    }
  }
}

struct Trap {
  EpilogueTile tile;
  Bytes total, total_without_c;
  std::string_view reason;
};

/// They fit by their bytes, and device code does not compile: refused, and never offered.
TEST(TheCase, EpilogueTilesThatDoNotCompileAreNeverOffered) {
  for (const Trap& trap :
       {Trap{{64, 16}, 94208, 90112, "static_assert: Invalid register count for R2G"},
        Trap{{32, 32}, 94208, 90112, "static_assert: MMA_TILE_M must divide EPI_TILE_M"}}) {
    for (const Dtype c : {Dtype::automatic, Dtype::none}) {
      TileRequest request = nvfp4(128, 256, 128, kFinalize, false);
      request.tile.c = c;
      for (const Fix& f : fixes(plan_tile(request)))
        EXPECT_NE(f.plan.request.tile.epilogue_tile, trap.tile);
      request.tile.epilogue_tile = trap.tile;
      const TilePlan plan = plan_tile(request);
      EXPECT_EQ(plan.smem.total, c == Dtype::none ? trap.total_without_c : trap.total);
      EXPECT_EQ(name(plan.outcome), "fits");
      EXPECT_EQ(name(plan.builds), "refused");
      EXPECT_EQ(plan.reason, trap.reason);
      EXPECT_FALSE(plan.usable());
    }
  }
}

/// Changes that sound right and do not help.
TEST(TheCase, WhatDoesNotHelp) {
  TileRequest request = nvfp4(128, 256, 128, kFinalize, false);
  request.tile.schedule = Schedule::pingpong;
  EXPECT_EQ(plan_tile(request).smem.total, 102400);
  request = nvfp4(128, 256, 128, kFinalize, false);
  request.tile.out = Dtype::fp16;
  EXPECT_EQ(plan_tile(request).smem.total, 102400);
  request = nvfp4(128, 256, 128, kFinalize, false);
  request.builder = Builder::cutlass_4_2;
  EXPECT_EQ(plan_tile(request).smem.total, 102400);
}

/// The same mistake on sm_90: two stages whatever they need.
TEST(TheCase, MixedInputTilesRaisedToTwoStages) {
  struct Mixed {
    int m, n, k;
    Bytes total;
  };
  for (const Mixed& e : {Mixed{64, 128, 512, 315392}, Mixed{128, 128, 512, 350208},
                         Mixed{128, 256, 256, 331776}, Mixed{256, 128, 256, 235520}}) {
    const TileRequest request{
        .arch = find_arch(90),
        .tile = {.m = e.m, .n = e.n, .k = e.k, .operands = Operands::bf16xmxfp4}};
    const TilePlan plan = plan_tile(request);
    EXPECT_EQ(plan.smem.total, e.total) << e.m << "x" << e.n << "x" << e.k;
    EXPECT_EQ(name(plan.outcome), "over_limit");
    EXPECT_EQ(plan.stages, 2);
    EXPECT_LT(plan.stages_auto, 2);
    EXPECT_EQ(name(plan.builds), "compiled");
  }
}

}  // namespace
}  // namespace tilefit
