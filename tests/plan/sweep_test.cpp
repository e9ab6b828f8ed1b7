// SPDX-License-Identifier: Apache-2.0
// The lists of tuners against public reports and the counts worked out by hand from their sources;
// the order and the completeness of the whole space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "tilefit/plan/plan.h"
#include "tilefit/plan/sweep.h"
#include "tilefit/plan/tactics.h"

namespace tilefit {
namespace {

TileRequest on(int cc, Operands operands, Builder builder = kNewestBuilder) {
  TileRequest r{.arch = find_arch(cc), .builder = builder};
  r.tile.operands = operands;
  return r;
}

Sweep list_of(int cc, Operands operands, TacticList list) {
  Result<Sweep> sweep = sweep_list(on(cc, operands, row(list).builder), list);
  EXPECT_TRUE(sweep) << (sweep ? "" : sweep.error().what);
  return sweep ? *std::move(sweep) : Sweep{};
}

const SweepRow* numbered(const Sweep& sweep, int number) {
  for (const SweepRow& r : sweep.rows)
    if (r.tactic[0] == number || r.tactic[1] == number) return &r;
  return nullptr;
}

using Key = std::tuple<int, int, int, Epilogue, bool>;
Key key(const Tile& t) { return {t.m, t.n, t.k, t.epilogue, t.swap_ab}; }

// flashinfer#4841 and #4847: 60 tactics on an RTX PRO 6000, 46 run, 12 have no kernel (the tiles
// 128x128x256B and 256x128x128B), 2 fail at initialisation.
TEST(FlashInferList, ReportOn0618) {
  const Sweep s = list_of(120, Operands::nvfp4, TacticList::flashinfer_0_6_18);
  EXPECT_EQ(s.tactics[0].all() + s.tactics[1].all(), 60);
  EXPECT_EQ(s.tactics[0].all(), 20);
  int run = 0, no_kernel = 0, over = 0;
  for (const SweepCounts& gemm : s.tactics) {
    run += gemm.of(Outcome::fits);
    no_kernel += gemm.of(Outcome::not_built);
    over += gemm.of(Outcome::over_limit);
  }
  EXPECT_EQ(run, 46);
  EXPECT_EQ(no_kernel, 12);
  EXPECT_EQ(over, 2);
  std::set<std::tuple<int, int, int>> without;
  for (const SweepRow& r : s.rows)
    if (r.outcome == Outcome::not_built) without.insert({r.tile.m, r.tile.n, r.tile.k / 2});
  EXPECT_THAT(without, testing::ElementsAre(std::tuple(128, 128, 256), std::tuple(256, 128, 128)));
}

// 8 tiles x {none, finalize} x {no swap, swap} = 32 kernels; 2 need 102400 bytes.
TEST(FlashInferList, Newest) {
  const Sweep s = list_of(120, Operands::nvfp4, TacticList::flashinfer_0_7_4);
  EXPECT_EQ(s.kernels.all(), 32);
  EXPECT_EQ(s.kernels.of(Outcome::over_limit), 2);
  EXPECT_EQ(s.kernels.of(Outcome::fits), 30);
  EXPECT_EQ(s.tactics[0].all(), 16);
  EXPECT_EQ(s.tactics[1].all(), 32);
  EXPECT_EQ(s.tactics[1].of(Outcome::not_built), 0);
  std::set<Key> over;
  for (const SweepRow& r : s.rows)
    if (r.outcome == Outcome::over_limit) {
      EXPECT_EQ(r.total, 102400);
      over.insert(key(r.tile));
    }
  EXPECT_THAT(over, testing::ElementsAre(Key{128, 256, 128, Epilogue::finalize, false},
                                         Key{256, 128, 128, Epilogue::finalize, false}));
}

// 4 tiles: 16 kernels, 2 of them over the limit, on sm_120 and sm_121 alike.
TEST(FlashInferList, TheCase) {
  for (const int cc : {120, 121}) {
    const Sweep s = list_of(cc, Operands::nvfp4, TacticList::flashinfer_0_6_0);
    EXPECT_EQ(s.kernels.all(), 16);
    EXPECT_EQ(s.kernels.of(Outcome::over_limit), 2);
    EXPECT_EQ(s.tactics[0].all(), 8);
    EXPECT_EQ(s.tactics[1].all(), 16);
  }
}

// flashinfer#2077 (0.5.2, the list of 0.6.0): tactic 15 fails to initialise in the M = 256 file.
TEST(FlashInferList, TacticFifteen) {
  const Sweep s = list_of(120, Operands::nvfp4, TacticList::flashinfer_0_6_0);
  const SweepRow* r = numbered(s, 15);
  ASSERT_NE(r, nullptr);
  EXPECT_EQ(key(r->tile), (Key{256, 128, 128, Epilogue::finalize, false}));
  EXPECT_EQ(r->outcome, Outcome::over_limit);
  EXPECT_EQ(r->tactic[0], -1) << "GEMM 1 has no FINALIZE";
}

TEST(FlashInferList, Sm120Mixed) {
  const Sweep old = list_of(120, Operands::wfp4afp8, TacticList::flashinfer_0_6_0);
  EXPECT_EQ(old.tactics[0].of(Outcome::fits), 2) << "128x128x128 with and without swap-AB";
  EXPECT_EQ(old.tactics[0].of(Outcome::not_built), 6);
  const Sweep now = list_of(120, Operands::wfp4afp8, TacticList::flashinfer_0_7_4);
  std::set<int> n;
  Bytes least = 1 << 20, most = 0;
  for (const SweepRow& r : now.rows) {
    EXPECT_EQ(r.outcome, Outcome::fits);
    EXPECT_EQ(std::tuple(r.tile.m, r.tile.k), std::tuple(128, 128));
    n.insert(r.tile.n);
    least = std::min(least, r.total);
    most = std::max(most, r.total);
  }
  EXPECT_THAT(n, testing::ElementsAre(32, 64, 128));
  EXPECT_EQ(std::tuple(least, most), (std::tuple<Bytes, Bytes>(82944, 101376)));
}

// 18 tile and cluster pairs, twice for swap-AB (and twice again for FINALIZE); 9 of sm_80 style.
TEST(FlashInferList, Sm90) {
  const Sweep bf16 = list_of(90, Operands::bf16, TacticList::flashinfer_0_7_4);
  EXPECT_EQ(bf16.tactics[0].all(), 36 + 9);
  EXPECT_EQ(bf16.tactics[1].all(), 72 + 9);
  EXPECT_EQ(bf16.tactics[1].of(Outcome::fits), 72);
  EXPECT_EQ(bf16.tactics[1].of(Outcome::unknown), 9);
  EXPECT_EQ(list_of(90, Operands::fp8, TacticList::flashinfer_0_7_4).tactics[1].all(), 72);
  // 29 tiles x 4 clusters; the four tiles whose stage count is forced up to 2 do not fit.
  const Sweep mixed = list_of(90, Operands::bf16xmxfp4, TacticList::flashinfer_0_7_4);
  EXPECT_EQ(mixed.tactics[0].all(), 116);
  EXPECT_EQ(mixed.tactics[1].all(), 116);
  std::set<std::tuple<int, int, int, Bytes>> over;
  for (const SweepRow& r : mixed.rows)
    if (r.outcome == Outcome::over_limit) over.insert({r.tile.m, r.tile.n, r.tile.k, r.total});
  EXPECT_THAT(over,
              testing::IsSupersetOf({std::tuple<int, int, int, Bytes>(64, 128, 512, 315392),
                                     std::tuple<int, int, int, Bytes>(128, 256, 256, 331776),
                                     std::tuple<int, int, int, Bytes>(256, 128, 256, 235520),
                                     std::tuple<int, int, int, Bytes>(128, 128, 512, 350208)}));
  EXPECT_EQ(list_of(90, Operands::fp8xmxfp4, TacticList::flashinfer_0_7_4).tactics[0].all(),
            116 + 10);
  EXPECT_EQ(list_of(90, Operands::fp8xmxfp4, TacticList::flashinfer_0_6_18).tactics[0].all(),
            116 + 8);
}

TEST(FlashInferList, Sm100) {
  // NVFP4: 3 + 6 + 6 + 6 for the launch clusters 1x1, 4x1, 4x2 and the kernel's own.
  const Sweep fp4 = list_of(100, Operands::nvfp4, TacticList::flashinfer_0_7_4);
  EXPECT_EQ(fp4.tactics[0].all(), 2 * 21);
  EXPECT_EQ(fp4.tactics[1].all(), 4 * 21);
  EXPECT_EQ(fp4.tactics[1].of(Outcome::fits), 4 * 21);
  EXPECT_LT(fp4.kernels.all(), static_cast<int>(fp4.rows.size()))
      << "launch clusters share a kernel";
  // sm_103: 14 of its own with each epilogue schedule, then the 21 of sm_100; FINALIZE with TMA
  // only.
  const Sweep b300 = list_of(103, Operands::nvfp4, TacticList::flashinfer_0_7_4);
  EXPECT_EQ(b300.tactics[0].all(), 2 * (28 + 21));
  EXPECT_EQ(b300.tactics[1].all(), 2 * (28 + 21 + 14 + 21));
  // Plain types: 8 + 14 + 14 + 14 tiles, one more each for FP8, with both epilogue schedules.
  const Sweep bf16 = list_of(100, Operands::bf16, TacticList::flashinfer_0_7_4);
  EXPECT_EQ(bf16.tactics[0].all(), 2 * 100 + 9);
  EXPECT_EQ(bf16.tactics[1].all(), 2 * (100 + 50) + 9);
  const Sweep mxfp8 = list_of(100, Operands::mxfp8, TacticList::flashinfer_0_7_4);
  EXPECT_EQ(mxfp8.tactics[0].all(), 2 * 108);
  EXPECT_EQ(mxfp8.tactics[0].of(Outcome::not_built), 2 * (54 + 54 - 21))
      << "N of 64, 128, 256 with M = 128, TMA epilogue, have kernels";
}

TEST(FlashInferList, NumbersAreEachOnce) {
  for (const TacticListRow& list : kTacticLists)
    for (const Arch& arch : kArchs)
      for (const OperandsRow& o : kOperands) {
        const Result<std::vector<Tactic>> tactics = tactics_of(list.list, arch, o.operands);
        if (!tactics) {
          EXPECT_FALSE(tactics.error().fix.empty());
          continue;
        }
        const Result<Sweep> s = sweep_list(on(arch.cc, o.operands, list.builder), list.list);
        std::vector<int> seen(tactics->size(), 0);
        for (const SweepRow& r : s->rows)
          for (const int number : r.tactic)
            if (number >= 0) ++seen.at(static_cast<std::size_t>(number));
        EXPECT_THAT(seen, testing::Each(1)) << list.name << " " << arch.name << " " << o.name;
        EXPECT_EQ(s->tactics[0].all() + s->tactics[1].all(), static_cast<int>(tactics->size()));
      }
}

TEST(SweepSpace, BestFirstAndEachRowIsItsPlan) {
  for (const int cc : {90, 100, 103, 120}) {
    for (const OperandsRow& o : kOperands) {
      const TileRequest request = on(cc, o.operands);
      const Sweep s = sweep_space(request, {.epilogues = {Epilogue::none, Epilogue::finalize}});
      bool usable = true;
      Bytes before = Bytes{1} << 40;
      for (const SweepRow& r : s.rows) {
        EXPECT_TRUE(usable || !r.usable()) << "what can launch comes first";
        if (usable && !r.usable()) before = Bytes{1} << 40;
        usable = r.usable();
        if (usable) {
          EXPECT_LE(r.in_flight, before);
          before = r.in_flight;
        }
        TileRequest one = request;
        one.tile = r.tile;
        const TilePlan plan = plan_tile(one);
        EXPECT_EQ(plan.outcome, r.outcome);
        EXPECT_EQ(plan.smem.total, r.total);
        EXPECT_LE(r.in_flight, r.total);
      }
    }
  }
}

TEST(SweepSpace, HoldsTheTilesThatRunAndSaysWhatItLeavesOut) {
  const Sweep s =
      sweep_space(on(120, Operands::nvfp4), {.epilogues = {Epilogue::none, Epilogue::finalize}});
  const Sweep list = list_of(120, Operands::nvfp4, TacticList::flashinfer_0_7_4);
  for (const SweepRow& r : list.rows)
    EXPECT_TRUE(std::any_of(s.rows.begin(), s.rows.end(), [&](const SweepRow& mine) {
      return key(mine.tile) == key(r.tile) && mine.total == r.total;
    }));
  EXPECT_GT(s.left_out, 0);
  const Sweep all =
      sweep_space(on(120, Operands::nvfp4),
                  {.epilogues = {Epilogue::none, Epilogue::finalize}, .keep_refused = true});
  EXPECT_EQ(all.rows.size(), s.rows.size() + static_cast<std::size_t>(s.left_out));
}

}  // namespace
}  // namespace tilefit
