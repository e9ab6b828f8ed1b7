// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/sweep_text.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "tilefit/model/gpu.h"
#include "tilefit/report/sweep_grid.h"

namespace tilefit {
namespace {

using Out = std::back_insert_iterator<std::string>;

void heading(Out out, const Sweep& s, const TextStyle& style) {
  const TileRequest& r = s.request;
  const std::string where = r.gpu != nullptr ? fmt::format("{} ({})", r.gpu->name, r.arch->name)
                                             : std::string(r.arch->name);
  fmt::format_to(out, "{}  {}, {}, on {}\n",
                 paint(style, kStrong, s.list.empty() ? "every sensible tile, best first" : s.list),
                 name(r.tile.operands), name(r.tile.kernel), where);
  fmt::format_to(out, "{}\n\n",
                 paint(style, kFaint,
                       fmt::format("{}, {}; limit of a block {} bytes", name(r.family),
                                   release(r.family, r.builder), s.limit)));
}

std::string cell_text(const SweepRow* r) {
  if (r == nullptr) return "-";
  if (r->total > 0)
    return fmt::format("{}{} st {:>6}",
                       r->usable()                   ? ""
                       : r->outcome == Outcome::fits ? "x "
                                                     : "! ",
                       r->stages, r->total);
  if (r->outcome == Outcome::too_few_stages) return fmt::format("! {}", stages_text(*r));
  return std::string(outcome_text(*r));
}

void matrix(Out out, const Sweep& s, const TextStyle& style) {
  constexpr int kCell = 20;
  const SweepGrid grid = grid_of(s);
  std::size_t notes = 0;
  for (const SweepLine& l : grid.lines) notes = std::max(notes, l.notes.size());
  std::string head = fmt::format("{:<12} {:<{}}", "tile", "", notes);
  for (const SweepColumn& c : grid.columns) head += fmt::format("{:>{}}", column_title(c), kCell);
  fmt::format_to(out, "{}\n", paint(style, kFaint, head));
  for (const SweepLine& l : grid.lines) {
    fmt::format_to(out, "{:<12} {:<{}}", l.tile, l.notes, notes);
    for (const SweepRow* r : l.cells) {
      const std::string text = fmt::format("{:>{}}", cell_text(r), kCell);
      fmt::format_to(out, "{}",
                     r == nullptr ? text : paint(style, r->usable() ? kGood : kBad, text));
    }
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "\n{}\n",
                 paint(style, kFaint,
                       "stages and bytes of the whole block;  ! cannot launch;  x fits, does not "
                       "compile;  - no answer (see --all)"));
}

std::string number_text(int n) { return n < 0 ? "-" : fmt::format("{}", n); }

void numbered(Out out, const Sweep& s, const TextStyle& style) {
  std::size_t notes = 0;
  const auto all_notes = [](const SweepRow& r) {
    std::string text = kernel_notes(r);
    if (r.launch.m > 1) text += fmt::format(", launched {}x{}", r.launch.m, r.launch.n);
    return text;
  };
  for (const SweepRow& r : s.rows) notes = std::max(notes, all_notes(r).size());
  fmt::format_to(out, "{}\n",
                 paint(style, kFaint,
                       fmt::format("{:>5} {:>5}  {:<11} {:<8} {:<4} {:>6} {:>7} {:>8}  {:<{}}{}",
                                   "gemm1", "gemm2", "tile", "epilogue", "swap", "stages", "bytes",
                                   "vs limit", "", notes, notes > 0 ? "  outcome" : "outcome")));
  for (const SweepRow& r : s.rows) {
    const Tile& t = r.tile;
    fmt::format_to(out, "{:>5} {:>5}  {:<11} {:<8} {:<4} {:>6} {:>7} {:>8}  {:<{}}{}{}\n",
                   number_text(r.tactic[0]), number_text(r.tactic[1]),
                   fmt::format("{}x{}x{}", t.m, t.n, t.k), name(t.epilogue),
                   t.swap_ab ? "yes" : "no", r.stages > 0 ? fmt::format("{}", r.stages) : "-",
                   r.total > 0 ? fmt::format("{}", r.total) : "-", over_text(r), all_notes(r),
                   notes, notes > 0 ? "  " : "",
                   paint(style, r.usable() ? kGood : kBad, outcome_text(r)));
  }
}

/// Each reason once, with how many rows it stands behind.
void reasons(Out out, const Sweep& s, const TextStyle& style) {
  std::set<std::string_view> seen;
  for (const SweepRow& r : s.rows) {
    if (r.usable() || r.reason.empty() || !seen.insert(r.reason).second) continue;
    const auto count = std::count_if(s.rows.begin(), s.rows.end(), [&](const SweepRow& x) {
      return !x.usable() && x.reason == r.reason;
    });
    fmt::format_to(out, "{}\n",
                   paint(style, kFaint,
                         fmt::format("{} of the rows: {}: {}", count, outcome_text(r), r.reason)));
  }
}

void tallies(Out out, const Sweep& s) {
  fmt::format_to(out, "{}\n", counts_text(s.kernels, "distinct kernel", "distinct kernels"));
  if (s.list.empty()) {
    if (s.left_out > 0)
      fmt::format_to(out,
                     "{} more combinations are refused by a compiler, come to fewer than two "
                     "stages or are not modelled (--all lists them)\n",
                     s.left_out);
    return;
  }
  for (const int gemm : {1, 2})
    fmt::format_to(out, "GEMM {} is offered {}\n", gemm,
                   counts_text(s.tactics[static_cast<std::size_t>(gemm - 1)], "tactic", "tactics"));
  SweepCounts both;
  for (const SweepCounts& c : s.tactics) {
    both.refused += c.refused;
    for (std::size_t i = 0; i < c.by_outcome.size(); ++i) both.by_outcome[i] += c.by_outcome[i];
  }
  fmt::format_to(out, "together {}\n", counts_text(both, "tactic", "tactics"));
}

}  // namespace

std::string sweep_text(const Sweep& s, const TextStyle& style) {
  std::string text;
  const Out out = std::back_inserter(text);
  heading(out, s, style);
  if (s.rows.empty())
    fmt::format_to(out, "no such tile\n");
  else if (s.list.empty())
    matrix(out, s, style);
  else
    numbered(out, s, style);
  fmt::format_to(out, "\n");
  reasons(out, s, style);
  tallies(out, s);
  return text;
}

}  // namespace tilefit
