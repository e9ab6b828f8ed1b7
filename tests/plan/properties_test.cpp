// SPDX-License-Identifier: Apache-2.0
// What holds for every tile of every family, whatever its numbers are.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/plan/tile_space.h"
#include "tilefit/plan/culprit.h"
#include "tilefit/plan/fixes.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

/// Stops a test that found a wrong tile from printing thousands of them.
#define STOP_AFTER_A_FAILURE \
  if (testing::Test::HasFailure()) return

TEST(Properties, TheSpaceIsWide) {
  std::map<Outcome, int> outcomes;
  std::set<std::string_view> reasons;
  long tiles = 0;
  TileSpace([&](const TileRequest& r) {
    const TilePlan plan = plan_tile(r);
    ++tiles;
    ++outcomes[plan.outcome];
    reasons.insert(plan.reason);
  }).all();
  EXPECT_GT(tiles, 100'000);
  EXPECT_GT(outcomes[Outcome::fits], 20'000);
  EXPECT_GT(outcomes[Outcome::over_limit], 10'000);
  EXPECT_GT(outcomes[Outcome::too_few_stages], 1'000);
  EXPECT_GT(outcomes[Outcome::rejected], 1'000);
  EXPECT_GT(outcomes[Outcome::unknown], 1'000);
  EXPECT_GT(outcomes[Outcome::not_built], 1'000);
  EXPECT_GT(reasons.size(), 30u);  // nearly every rule is met
}

TEST(Properties, RegionsCoverTheTotalWithoutGapOrOverlap) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    const TilePlan plan = plan_tile(r);
    Bytes end = 0;
    for (const Region& region : plan.smem) {
      ASSERT_EQ(region.offset, end) << describe(r);
      ASSERT_GT(region.bytes, 0) << describe(r);
      ASSERT_GT(region.align, 0) << describe(r);
      ASSERT_EQ(region.offset % region.align, 0) << name(region.part) << " of " << describe(r);
      end = region.end();
    }
    ASSERT_EQ(plan.smem.total, end) << describe(r);
    ASSERT_EQ(plan.smem.total % plan.smem.align, 0) << describe(r);
  }).all();
}

TEST(Properties, PadsAreShorterThanTheAlignmentBehindThem) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    const TilePlan plan = plan_tile(r);
    for (const Region& region : plan.smem)
      if (region.part == Part::pad) {
        ASSERT_LE(region.bytes, 2 * plan.smem.align) << describe(r);
      }
  }).all();
}

TEST(Properties, OutcomeFollowsFromTheBytes) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    const TilePlan plan = plan_tile(r);
    const bool sized = plan.outcome == Outcome::fits || plan.outcome == Outcome::over_limit;
    ASSERT_EQ(plan.has_bytes(), sized) << describe(r);
    ASSERT_EQ(plan.limit, r.limit > 0 ? r.limit : r.arch->smem_per_block);
    if (sized) {
      ASSERT_EQ(plan.outcome == Outcome::fits, plan.smem.total + r.static_bytes <= plan.limit)
          << describe(r);
      ASSERT_GE(plan.stages, 2) << describe(r);
      ASSERT_EQ(plan.stages, r.tile.stages > 0 ? r.tile.stages : plan.stages) << describe(r);
    }
    if (plan.outcome == Outcome::too_few_stages) {
      ASSERT_LT(plan.stages, 2) << describe(r);
    }
    // What is not sized, or sized and known not to compile, says why.
    if (!sized || plan.builds == Builds::refused) {
      ASSERT_FALSE(plan.reason.empty()) << describe(r);
    }
    if (plan.builds == Builds::compiled) {
      ASSERT_FALSE(plan.source.empty()) << describe(r);
    }
    ASSERT_EQ(plan.usable(), plan.outcome == Outcome::fits && plan.builds != Builds::refused);
  }).all();
}

TEST(Properties, MoreStagesNeverNeedFewerBytes) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    if (r.tile.stages != 2) return;
    Bytes before = 0;
    TileRequest more = r;
    for (more.tile.stages = 2; more.tile.stages <= 24; ++more.tile.stages) {
      const TilePlan plan = plan_tile(more);
      if (!plan.has_bytes()) return;
      ASSERT_GT(plan.smem.total + 1, before) << describe(more);
      before = plan.smem.total;
    }
  }).all();
}

/// What the builder picks is what asking for as many stages gives.
TEST(Properties, AutomaticStagesAreTheQuotient) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    if (r.tile.stages != 0) return;
    const TilePlan chosen = plan_tile(r);
    if (!chosen.has_bytes()) return;
    ASSERT_EQ(chosen.stages, std::max(chosen.stages_auto, 2)) << describe(r);
    TileRequest asked = r;
    asked.tile.stages = chosen.stages;
    const TilePlan same = plan_tile(asked);
    if (same.outcome == Outcome::unknown) return;  // sm_103 is modelled with automatic stages only
    ASSERT_EQ(same.smem.total, chosen.smem.total) << describe(r);
    ASSERT_EQ(same.stages_auto, chosen.stages_auto) << describe(r);
  }).all();
}

TEST(Properties, TheLedgerAddsUp) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    const TilePlan plan = plan_tile(r);
    const Ledger l = ledger(r);
    ASSERT_EQ(l.lines.empty(), !plan.has_bytes()) << describe(r);
    if (l.lines.empty()) return;
    Bytes believed = 0, real = 0;
    for (const LedgerLine& line : l.lines) {
      ASSERT_GE(line.believed, 0) << line.what << " of " << describe(r);
      ASSERT_GE(line.real, 0) << line.what << " of " << describe(r);
      ASSERT_NE(line.believed + line.real, 0) << line.what << " of " << describe(r);
      believed += line.believed;
      real += line.real;
    }
    ASSERT_EQ(real, plan.smem.total) << describe(r);
    ASSERT_EQ(l.stages, plan.stages) << describe(r);
    ASSERT_EQ(l.quotient, plan.stages_auto) << describe(r);
    CutlassStorage storage;
    ASSERT_TRUE(cutlass_storage_of(r, storage)) << describe(r);
    ASSERT_EQ(believed, storage.builder.believed) << describe(r);
    // With one ring of stages the sum is what the formula printed beside it says.
    if (storage.builder.scale_stages == 0) {
      ASSERT_EQ(believed, l.reserved + l.carveout + l.stages * l.stage) << describe(r);
    }
  }).all();
}

/// The request that the flags `text` ("--stages 2") make of `r`, through the parser of the command
/// line.
TileRequest typed(const TileRequest& r, const std::string& text) {
  const std::size_t space = text.find_first_of(" =");
  const std::string flag = text.substr(0, space);
  const std::string value = space == std::string::npos ? "true" : text.substr(space + 1);
  auto flags = flags_of(r);
  flags.emplace_back(flag, value);
  RequestDraft draft;
  for (const auto& [name, given] : flags) {
    bool known = false;
    for (const RequestField& field : kRequestFields) {
      if (field.flag != name) continue;
      known = true;
      if (const auto error = field.set(draft, given))
        ADD_FAILURE() << name << " " << given << ": " << error->what;
    }
    EXPECT_TRUE(known) << name;
  }
  const Result<TileRequest> request = finish(draft);
  EXPECT_TRUE(request) << request.error().what;
  return request ? *request : r;
}

TEST(Properties, EveryFixKeepsItsPromise) {
  long fixed = 0;
  std::set<std::string> kinds;
  TileSpace([&](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    const TilePlan plan = plan_tile(r);
    const std::vector<Fix> found = fixes(plan);
    if (plan.usable() || plan.outcome == Outcome::not_built || plan.outcome == Outcome::unknown) {
      ASSERT_TRUE(found.empty()) << describe(r);
    }
    std::set<std::string> seen;
    for (const Fix& f : found) {
      ASSERT_TRUE(seen.insert(f.flags).second) << f.flags << " twice for " << describe(r);
      const TileRequest changed = typed(plan.request, f.flags);
      ASSERT_EQ(changed.tile, f.plan.request.tile) << f.flags << " of " << describe(r);
      const TilePlan again = plan_tile(changed);
      ASSERT_EQ(again.outcome, Outcome::fits) << f.flags << " of " << describe(r);
      ASSERT_NE(again.builds, Builds::refused) << f.flags << " of " << describe(r);
      ASSERT_EQ(again.smem.total, f.plan.smem.total) << f.flags << " of " << describe(r);
      ASSERT_EQ(again.stages, f.plan.stages) << f.flags << " of " << describe(r);
      ASSERT_EQ(again.builds, f.plan.builds) << f.flags << " of " << describe(r);
      ASSERT_FALSE(f.change.empty());
      kinds.insert(f.flags.substr(0, f.flags.find_first_of(" =")));
      ++fixed;
    }
  }).all();
  EXPECT_GT(fixed, 50'000);
  EXPECT_EQ(kinds, (std::set<std::string>{"--builder", "--c-type", "--cluster", "--epilogue-tile",
                                          "--stages", "--swap-ab", "--tile"}));
}

TEST(Properties, EveryOutcomeHasItsSentence) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    const TilePlan plan = plan_tile(r);
    const Culprit c = culprit(plan);
    ASSERT_FALSE(c.sentence.empty()) << describe(r);
    ASSERT_EQ(c.sentence.find("  "), std::string::npos) << c.sentence;
    if (c.found && c.part != Part::pad) {
      ASSERT_TRUE(plan.smem.has(c.part)) << describe(r);
    }
    if (plan.outcome == Outcome::over_limit) {
      ASSERT_NE(c.sentence.find(std::to_string(plan.over()) + " B"), std::string::npos)
          << c.sentence;
    }
    if (!plan.reason.empty() && plan.outcome != Outcome::too_few_stages) {
      ASSERT_NE(c.sentence.find(plan.reason.substr(0, 20)), std::string::npos)
          << c.sentence << describe(r);
    }
  }).all();
}

struct Residency {
  int blocks;
  Bytes largest;
};

/// Measured on an H200: the largest dynamic size with which n blocks are resident on one SM.
TEST(Properties, BlocksPerSmAsMeasuredOnSm90) {
  const Arch& sm90 = *find_arch(90);
  for (const Residency& e : {Residency{1, 232448},
                             {2, 115712},
                             {3, 76800},
                             {4, 57344},
                             {5, 45568},
                             {6, 37888},
                             {7, 32256},
                             {8, 28160},
                             {11, 20096},
                             {15, 14464}}) {
    EXPECT_EQ(blocks_by_smem(sm90, e.largest), e.blocks) << e.largest;
    EXPECT_EQ(blocks_by_smem(sm90, e.largest + 1), e.blocks - 1) << e.largest + 1;
  }
  // Static 1008 and dynamic bytes are summed, then rounded.
  EXPECT_EQ(blocks_by_smem(sm90, 1008 + 231440), 1);
  EXPECT_EQ(blocks_by_smem(sm90, 1008 + 231441), 0);
  EXPECT_EQ(blocks_by_smem(sm90, 0), 32);
  EXPECT_TRUE(sm90.granularity_measured());
}

TEST(Properties, BlocksPerSmOfEveryPlan) {
  TileSpace([](const TileRequest& r) {
    STOP_AFTER_A_FAILURE;
    const TilePlan plan = plan_tile(r);
    if (plan.outcome != Outcome::fits) {
      ASSERT_EQ(plan.blocks_per_sm, 0) << describe(r);
    } else if (plan.needed() <= r.arch->smem_per_block) {
      ASSERT_GE(plan.blocks_per_sm, 1) << describe(r);
      ASSERT_LE(plan.blocks_per_sm * (plan.needed() + r.arch->smem_reserved), r.arch->smem_per_sm)
          << describe(r);
    }
  }).all();
}

/// Nothing within the accepted range overflows (UBSan watches in the asan preset).
TEST(Properties, LargestAcceptedValuesStayWhole) {
  for (const Arch& arch : kArchs)
    for (const OperandsRow& o : kOperands)
      for (const KernelKind kernel : {KernelKind::grouped, KernelKind::dense})
        for (const int big : {kMaxExtent, kMaxExtent - 1, kMaxExtent / 3, 1}) {
          TileRequest r{
              .arch = &arch,
              .family = kernel == KernelKind::dense ? Family::cutlass : Family::cutlass_moe,
              .tile = {.m = big,
                       .n = big,
                       .k = big,
                       .stages = kMaxStages,
                       .operands = o.operands,
                       .kernel = kernel}};
          r.limit = r.static_bytes = Bytes{1} << 40;
          for (const EpilogueTile e : {EpilogueTile{}, EpilogueTile{big, big}}) {
            r.tile.epilogue_tile = e;
            const TilePlan plan = plan_tile(r);
            EXPECT_GE(plan.smem.total, 0) << describe(r);
            EXPECT_FALSE(culprit(plan).sentence.empty());
            ledger(r);
            components(r);
            fixes(plan);
          }
        }
}

}  // namespace
}  // namespace tilefit
