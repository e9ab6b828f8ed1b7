// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/sweep_grid.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilefit {

std::string column_title(const SweepColumn& c) {
  return fmt::format("{}{}", name(c.epilogue), c.swap_ab ? ", swap-AB" : "");
}

std::string kernel_notes(const SweepRow& row) {
  const Tile& t = row.tile;
  std::string out;
  const auto note = [&](std::string_view text) {
    out += (out.empty() ? "" : ", ") + std::string(text);
  };
  const bool pairs = row.kernel_arch != nullptr && row.kernel_arch->cc / 10 == 10;
  if (pairs)
    note(fmt::format("{}SM{}", t.cluster.m, t.cluster.dynamic ? " dynamic" : ""));
  else if (t.cluster != Cluster{})
    note(fmt::format("cluster {}x{}", t.cluster.m, t.cluster.n));
  if (t.schedule != Schedule::automatic) note(name(t.schedule));
  if (t.epilogue_schedule != EpilogueSchedule::tma) note("nosmem");
  if (!row.variant.empty()) note(row.variant);
  if (!row.variant.empty() && t.stages > 0) note(fmt::format("{} stages", t.stages));
  return out;
}

std::string over_text(const SweepRow& row) {
  return row.total > 0 ? fmt::format("{:+}", row.over) : "";
}

std::string stages_text(const SweepRow& row) {
  const int n = std::max(row.stages, 0);
  return fmt::format("{} {}", n, n == 1 ? "stage" : "stages");
}

std::string_view outcome_text(const SweepRow& row) {
  return row.outcome == Outcome::fits && !row.usable() ? "fits, does not compile"
                                                       : name(row.outcome);
}

std::string counts_text(const SweepCounts& counts, std::string_view one, std::string_view many) {
  struct Part {
    int count;
    std::string_view what;
  };
  std::string out = fmt::format("{} {}", counts.all(), counts.all() == 1 ? one : many);
  std::string_view separator = ": ";
  for (const Part& p :
       {Part{counts.of(Outcome::fits), "run"}, Part{counts.refused, "fit and do not compile"},
        Part{counts.of(Outcome::over_limit), "fail at initialisation (over the limit)"},
        Part{counts.of(Outcome::too_few_stages), "have fewer than two stages"},
        Part{counts.of(Outcome::not_built), "have no kernel"},
        Part{counts.of(Outcome::rejected), "are refused by the builder"},
        Part{counts.of(Outcome::unknown), "are not modelled"}}) {
    if (p.count == 0) continue;
    out += fmt::format("{}{} {}", separator, p.count, p.what);
    separator = ", ";
  }
  return out;
}

SweepGrid grid_of(const Sweep& sweep) {
  SweepGrid grid;
  for (const SweepRow& r : sweep.rows) {
    const SweepColumn column{r.tile.epilogue, r.tile.swap_ab};
    if (std::find(grid.columns.begin(), grid.columns.end(), column) == grid.columns.end())
      grid.columns.push_back(column);
  }
  std::sort(grid.columns.begin(), grid.columns.end(),
            [](const SweepColumn& a, const SweepColumn& b) {
              return a.epilogue != b.epilogue ? a.epilogue < b.epilogue : a.swap_ab < b.swap_ab;
            });
  for (const SweepRow& r : sweep.rows) {
    const std::string tile = fmt::format("{}x{}x{}", r.tile.m, r.tile.n, r.tile.k);
    const std::string notes = kernel_notes(r);
    auto line = std::find_if(grid.lines.begin(), grid.lines.end(), [&](const SweepLine& l) {
      return l.tile == tile && l.notes == notes;
    });
    if (line == grid.lines.end()) {
      grid.lines.push_back(
          {tile, notes, std::vector<const SweepRow*>(grid.columns.size(), nullptr)});
      line = std::prev(grid.lines.end());
    }
    const auto column = std::find(grid.columns.begin(), grid.columns.end(),
                                  SweepColumn{r.tile.epilogue, r.tile.swap_ab});
    const SweepRow*& cell = line->cells[static_cast<std::size_t>(column - grid.columns.begin())];
    if (cell == nullptr) cell = &r;
  }
  return grid;
}

}  // namespace tilefit
