// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/fixes.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <tuple>

#include "tilefit/plan/cutlass_kinds.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {
namespace {

/// What is said of a change that helps.
struct Words {
  std::string change, flags, source_change;
};

class Search {
 public:
  explicit Search(const TilePlan& broken) : broken_(broken), tile_(broken.request.tile) {
    found_.reserve(12);
  }

  void try_stages();
  void try_operands();
  void try_epilogue();
  void try_extents();
  void try_builder();
  std::vector<Fix> best_first();

 private:
  /// The changed request planned; where it is usable it is kept, with the words of `say()`.
  template <class Say>
  TilePlan try_request(const TileRequest& request, const Say& say) {
    TilePlan plan = plan_tile(request);
    if (plan.usable()) {
      Words words = say();
      found_.push_back(
          {std::move(words.change), std::move(words.flags), std::move(words.source_change), plan});
    }
    return plan;
  }
  template <class Say>
  TilePlan try_tile(const Tile& tile, const Say& say) {
    TileRequest request = broken_.request;
    request.tile = tile;
    return try_request(request, say);
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
    try_tile(t, [] {
      return Words{"let the builder choose the stages", "--stages auto",
                   "StageCountAutoCarveout instead of StageCount<N>"};
    });
  }
  if (broken_.outcome != Outcome::over_limit) return;
  const auto say = [&] {
    const std::string n = std::to_string(t.stages);
    return Words{n + " stages instead of " + std::to_string(broken_.stages), "--stages " + n,
                 "StageCount<" + n + "> for this tile"};
  };
  t.stages = std::min(broken_.stages - 1, 64);
  while (t.stages >= 2 && !try_tile(t, say).usable()) --t.stages;
}

void Search::try_operands() {
  Tile t = tile_;
  t.swap_ab = !tile_.swap_ab;
  if (!is_mixed(tile_.operands))
    try_tile(t, [&] {
      const std::string value = t.swap_ab ? "true" : "false";
      return Words{t.swap_ab ? "swap A and B" : "do not swap A and B",
                   t.swap_ab ? "--swap-ab" : "--swap-ab=false",
                   "the tactic with swap_ab = " + value};
    });
  t = tile_;
  t.cluster = Cluster{.dynamic = tile_.cluster.dynamic};
  if (tile_.cluster != t.cluster)
    try_tile(t, [] { return Words{"no cluster", "--cluster 1x1x1", ""}; });
}

void Search::try_epilogue() {
  if (!sm120()) return;
  // NONE and FINALIZE never read C; a linear combination may.
  const bool c_unread = tile_.epilogue == Epilogue::none || tile_.epilogue == Epilogue::finalize;
  if (tile_.c != Dtype::none && c_unread) {
    Tile t = tile_;
    t.c = Dtype::none;
    try_tile(t, [] {
      return Words{"C of type void: its staging buffer is never used", "--c-type void",
                   "EpilogueElementC = void on SM120, as the SM90 and SM100 branches of the "
                   "launcher have it"};
    });
  }
  for (const EpilogueTile e : {EpilogueTile{}, EpilogueTile{64, 16}, EpilogueTile{64, 8}}) {
    if (e == tile_.epilogue_tile) continue;
    Tile t = tile_;
    t.epilogue_tile = e;
    try_tile(t, [&] {
      if (e.automatic())
        return Words{"let the builder choose the epilogue tile", "--epilogue-tile auto",
                     "EpilogueTileAuto"};
      const std::string text = std::to_string(e.m) + "x" + std::to_string(e.n);
      return Words{"stage the epilogue " + text + " at a time", "--epilogue-tile " + text,
                   "an explicit EpilogueTile of " + text};
    });
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
    const auto plan = [&](int extent) {
      Tile t = tile_;
      t.*side.extent = extent;
      return try_tile(t, [&] {
        const std::string tile = tile_text(t);
        return Words{std::string(side.name) + " " + std::to_string(extent) + " instead of " +
                         std::to_string(now),
                     "--tile " + tile, "the tactic with tile " + tile};
      });
    };
    const auto too_big = [](const TilePlan& p) {
      return p.outcome == Outcome::over_limit || p.outcome == Outcome::too_few_stages;
    };
    // Down while it is too big: what is refused stays refused. Up while it is refused.
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(now)));
    for (int v = power < now ? power : power / 2; v >= kLeast && too_big(plan(v)); v /= 2) continue;
    if (broken_.builds != Builds::refused || broken_.outcome == Outcome::too_few_stages) continue;
    for (int v = 2 * power; v <= kMost && !plan(v).usable(); v *= 2) continue;
  }
}

void Search::try_builder() {
  for (std::size_t i = 0; i < kBuilderNames.size(); ++i) {
    TileRequest request = broken_.request;
    request.builder = static_cast<Builder>(i);
    if (request.builder == broken_.request.builder) continue;
    try_request(request, [&] {
      const std::string builder(name(request.builder));
      return Words{"the stage arithmetic of " + builder, "--builder " + builder,
                   "build against CUTLASS " + builder.substr(8)};
    });
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
  std::vector<std::size_t> order(found_.size());  // plans are large: each is moved once
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(found_[a]) < rank(found_[b]); });
  std::vector<Fix> sorted;
  sorted.reserve(found_.size());
  for (const std::size_t i : order) sorted.push_back(std::move(found_[i]));
  return sorted;
}

}  // namespace

std::vector<Fix> fixes(const TilePlan& plan) {
  if (plan.usable() || plan.outcome == Outcome::unknown || plan.outcome == Outcome::not_built)
    return {};
  Search search(plan);
  const bool cutlass = is_cutlass(plan.request.family);
  if (cutlass) search.try_epilogue();
  search.try_stages();
  if (cutlass) search.try_operands();
  search.try_extents();
  if (cutlass) search.try_builder();
  return search.best_first();
}

}  // namespace tilefit
