// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/fixes.h"

#include <algorithm>
#include <bit>
#include <string>
#include <tuple>

#include "tilefit/plan/cutlass_kinds.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {
namespace {

class Search {
 public:
  explicit Search(const TilePlan& broken) : broken_(broken), tile_(broken.request.tile) {}

  /// True where the changed tile is usable, and then kept.
  bool try_tile(const Tile& tile, std::string change, std::string flags,
                std::string source_change = "") {
    TileRequest request = broken_.request;
    request.tile = tile;
    return keep_if_usable(request, std::move(change), std::move(flags), std::move(source_change));
  }

  void try_stages();
  void try_operands();
  void try_epilogue();
  void try_extents();
  void try_builder();
  std::vector<Fix> best_first();

 private:
  bool keep_if_usable(const TileRequest& request, std::string change, std::string flags,
                      std::string source_change) {
    const TilePlan plan = plan_tile(request);
    if (plan.usable())
      found_.push_back({std::move(change), std::move(flags), std::move(source_change), plan});
    return plan.usable();
  }
  bool sm120() const { return broken_.request.arch->cc / 10 == 12; }

  const TilePlan& broken_;
  const Tile& tile_;
  std::vector<Fix> found_;
};

/// The most stages below the present count that fit.
void Search::try_stages() {
  Tile t = tile_;
  if (tile_.stages != 0) {
    t.stages = 0;
    try_tile(t, "let the builder choose the stages", "--stages auto",
             "StageCountAutoCarveout instead of StageCount<N>");
  }
  for (t.stages = std::min(broken_.stages - 1, 64); t.stages >= 2; --t.stages) {
    const std::string n = std::to_string(t.stages);
    if (try_tile(t, n + " stages instead of " + std::to_string(broken_.stages), "--stages " + n,
                 "StageCount<" + n + "> for this tile"))
      return;
  }
}

void Search::try_operands() {
  Tile t = tile_;
  t.swap_ab = !tile_.swap_ab;
  if (!is_mixed(tile_.operands))
    try_tile(t, t.swap_ab ? "swap A and B" : "do not swap A and B",
             t.swap_ab ? "--swap-ab" : "--swap-ab=false",
             "the tactic with swap_ab = " + std::string(t.swap_ab ? "true" : "false"));
  t = tile_;
  t.cluster = Cluster{.dynamic = tile_.cluster.dynamic};
  if (tile_.cluster != t.cluster) try_tile(t, "no cluster", "--cluster 1x1x1");
}

void Search::try_epilogue() {
  // NONE and FINALIZE never read C; a linear combination may.
  if (sm120() && tile_.c != Dtype::none &&
      (tile_.epilogue == Epilogue::none || tile_.epilogue == Epilogue::finalize)) {
    Tile t = tile_;
    t.c = Dtype::none;
    try_tile(
        t, "C of type void: its staging buffer is never used", "--c-type void",
        "EpilogueElementC = void on SM120, as the SM90 and SM100 branches of the launcher have it");
  }
  if (!sm120()) return;
  for (const EpilogueTile e :
       {EpilogueTile{}, EpilogueTile{64, 32}, EpilogueTile{64, 16}, EpilogueTile{64, 8}}) {
    if (e == tile_.epilogue_tile) continue;
    Tile t = tile_;
    t.epilogue_tile = e;
    const std::string text =
        e.automatic() ? "auto" : std::to_string(e.m) + "x" + std::to_string(e.n);
    try_tile(t,
             e.automatic() ? "let the builder choose the epilogue tile"
                           : "stage the epilogue " + text + " at a time",
             "--epilogue-tile " + text,
             e.automatic() ? "EpilogueTileAuto" : "an explicit EpilogueTile of " + text);
  }
}

/// On each side the nearest power of two below that fits; where the tile itself is refused, above
/// too.
void Search::try_extents() {
  constexpr int kLeast = 8, kMost = 512;
  struct Side {
    int Tile::*extent;
    std::string_view name;
  };
  for (const Side& side : {Side{&Tile::k, "K"}, Side{&Tile::m, "M"}, Side{&Tile::n, "N"}}) {
    const int now = tile_.*side.extent;
    const auto usable = [&](int extent) {
      Tile t = tile_;
      t.*side.extent = extent;
      const std::string tile = tile_text(t);
      return try_tile(t,
                      std::string(side.name) + " " + std::to_string(extent) + " instead of " +
                          std::to_string(now),
                      "--tile " + tile, "the tactic with tile " + tile);
    };
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(now)));
    for (int v = power < now ? power : power / 2; v >= kLeast && !usable(v); v /= 2) continue;
    if (broken_.builds != Builds::refused || broken_.outcome == Outcome::too_few_stages) continue;
    for (int v = 2 * power; v <= kMost && !usable(v); v *= 2) continue;
  }
}

void Search::try_builder() {
  for (std::size_t i = 0; i < kBuilderNames.size(); ++i) {
    TileRequest request = broken_.request;
    request.builder = static_cast<Builder>(i);
    if (request.builder == broken_.request.builder) continue;
    const std::string builder(name(request.builder));
    keep_if_usable(request, "the stage arithmetic of " + builder, "--builder " + builder,
                   "build against CUTLASS " + builder.substr(8));
  }
}

std::vector<Fix> Search::best_first() {
  const auto area = [](const Tile& t) { return Bytes{t.m} * t.n; };
  const auto rank = [&](const Fix& f) {
    const bool keeps_stages =
        broken_.stages >= 2 && f.plan.stages >= broken_.stages && f.plan.request.tile.k == tile_.k;
    const Bytes lost = std::max<Bytes>(0, area(tile_) - area(f.plan.request.tile));
    return std::tuple(!keeps_stages, lost, f.plan.builds != Builds::compiled);
  };
  std::stable_sort(found_.begin(), found_.end(),
                   [&](const Fix& a, const Fix& b) { return rank(a) < rank(b); });
  return std::move(found_);
}

}  // namespace

std::vector<Fix> fixes(const TilePlan& plan) {
  if (plan.usable() || plan.outcome == Outcome::unknown || plan.outcome == Outcome::not_built)
    return {};
  Search search(plan);
  search.try_epilogue();
  search.try_stages();
  search.try_operands();
  search.try_extents();
  search.try_builder();
  return search.best_first();
}

}  // namespace tilefit
