// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/sweep_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilefit/model/gpu.h"
#include "tilefit/report/svg.h"
#include "tilefit/report/sweep_grid.h"

namespace tilefit {
namespace {

/// How an outcome looks. Colours: Okabe and Ito's, which stay apart for every common colour
/// blindness; the tint behind the numbers is the colour mixed with white.
struct Look {
  std::string_view letter, title, color, tint, letter_fill;
  bool hatched;
};

constexpr Look kFits{"F", "fits", "#009e73", "#d9f0ea", "#ffffff", false};
constexpr Look kRefused{"C", "fits, does not compile", "#f0e442", "#fcfad9", "#1a1a1a", true};
constexpr Look kOver{
    "L", "over the limit: fails at initialisation", "#d55e00", "#f9e5d9", "#ffffff", true};
constexpr Look kFew{"S", "fewer than two stages", "#e69f00", "#fbf0d9", "#1a1a1a", true};
constexpr Look kNoKernel{"N", "no such kernel", "#999999", "#efefef", "#1a1a1a", false};
constexpr Look kRejected{"R", "refused by the builder", "#cc79a7", "#f7ebf2", "#1a1a1a", false};
constexpr Look kUnknown{"?", "not modelled", "#56b4e9", "#e6f4fc", "#1a1a1a", false};
constexpr std::array kLooks{&kFits, &kRefused, &kOver, &kFew, &kNoKernel, &kRejected, &kUnknown};

const Look& look_of(const SweepRow& r) {
  switch (r.outcome) {
    case Outcome::fits:
      return r.usable() ? kFits : kRefused;
    case Outcome::over_limit:
      return kOver;
    case Outcome::too_few_stages:
      return kFew;
    case Outcome::not_built:
      return kNoKernel;
    case Outcome::rejected:
      return kRejected;
    default:
      return kUnknown;
  }
}

constexpr double kWidth = 1200, kMargin = 24, kLabel = 168, kTop = 176, kRow = 44, kGap = 3,
                 kTab = 20;
constexpr std::string_view kInk = "#1a1a1a", kSoft = "#555555", kRule = "#c8c8c8";

std::string numbers_of(const SweepRow& r) {
  if (r.tactic[0] < 0 && r.tactic[1] < 0) return over_text(r);
  std::string out;
  if (r.tactic[0] >= 0) out += fmt::format("{}", r.tactic[0]);
  if (r.tactic[1] >= 0) out += fmt::format("{}{}", out.empty() ? "" : ", ", r.tactic[1]);
  return over_text(r) + (r.total > 0 ? "; " : "") + "tactic " + out;
}

std::string first_line(const SweepRow& r) {
  if (r.total > 0) return fmt::format("{}, {}", stages_text(r), r.total);
  if (r.outcome == Outcome::too_few_stages) return stages_text(r);
  return "-";
}

struct Place {
  double x, y, width;
};

/// A bar in the cell's foot: how full a block is; the dark tick is the limit.
void fill_bar(Svg& svg, const SweepRow& r, Bytes limit, const Place& at) {
  const double room = at.width - kTab - 12, scale = room / 1.25;
  const double share = static_cast<double>(r.total) / static_cast<double>(limit);
  const double x = at.x + kTab + 6, y = at.y + kRow - kGap - 6;
  svg.box(x, y, std::min(share, 1.25) * scale, 3,
          look_of(r).color == kRefused.color ? "#8a8200" : look_of(r).color);
  svg.line(x + scale, y - 2, x + scale, y + 5, kInk, 1.2);
}

void cell(Svg& svg, const SweepRow* r, Bytes limit, const Place& at) {
  const double height = kRow - kGap;
  if (r == nullptr) {
    svg.box(at.x, at.y, at.width, height, "#fafafa", "#e6e6e6");
    return;
  }
  const Look& look = look_of(*r);
  svg.open_tip(fmt::format("{}x{}x{} {}: {}{}{}", r->tile.m, r->tile.n, r->tile.k,
                           column_title({r->tile.epilogue, r->tile.swap_ab}), outcome_text(*r),
                           r->reason.empty() ? "" : ": ", r->reason));
  svg.box(at.x, at.y, at.width, height, look.tint);
  svg.box(at.x, at.y, kTab, height, look.color);
  if (look.hatched) svg.hatch(at.x + at.width - 22, at.y, 22, height, look.color);
  svg.text(at.x + kTab / 2, at.y + height / 2 + 5, look.letter,
           {.size = 13, .fill = look.letter_fill, .bold = true, .anchor = "middle"});
  svg.text(at.x + kTab + 6, at.y + 16, first_line(*r),
           {.size = at.width < 115 ? 10.5 : 12, .fill = kInk, .bold = true});
  svg.text(at.x + kTab + 6, at.y + 30, numbers_of(*r),
           {.size = at.width < 115 ? 9.5 : 10.5, .fill = kSoft});
  if (r->total > 0) fill_bar(svg, *r, limit, at);
  svg.close_tip();
}

/// Only outcomes that occur, with how many cells have them.
void legend(Svg& svg, const SweepGrid& grid, bool numbered) {
  double x = kMargin;
  double y = 104;
  for (const Look* look : kLooks) {
    int count = 0;
    for (const SweepLine& l : grid.lines)
      for (const SweepRow* r : l.cells)
        if (r != nullptr && &look_of(*r) == look) ++count;
    if (count == 0) continue;
    const std::string words = fmt::format("{} ({})", look->title, count);
    const double width = 30 + 7.1 * static_cast<double>(words.size()) + 18;
    if (x + width > kWidth - kMargin) {
      x = kMargin;
      y += 24;
    }
    svg.box(x, y - 13, kTab, 18, look->color);
    svg.text(x + kTab / 2, y, look->letter,
             {.size = 13, .fill = look->letter_fill, .bold = true, .anchor = "middle"});
    svg.text(x + kTab + 7, y, words, {.size = 12.5, .fill = kInk});
    x += width;
  }
  svg.text(kMargin, y + 26,
           fmt::format("In a cell: stages, and bytes of shared memory; bytes against the limit{}. "
                       "The bar shows how full a block is, its tick the limit.",
                       numbered ? "; tactic numbers, GEMM 1's first" : ""),
           {.size = 11.5, .fill = kSoft});
}

std::string place_of(const Sweep& s) {
  const TileRequest& r = s.request;
  return r.gpu != nullptr ? fmt::format("{} ({})", r.gpu->name, r.arch->name)
                          : std::string(r.arch->name);
}

void column_heads(Svg& svg, const SweepGrid& grid, double width) {
  svg.text(kMargin, kTop - 10, "tile (M x N x K)", {.size = 11.5, .fill = kSoft});
  for (std::size_t c = 0; c < grid.columns.size(); ++c)
    svg.text(kMargin + kLabel + static_cast<double>(c) * width + 2, kTop - 10,
             column_title(grid.columns[c]),
             {.size = width < 130 ? 10.5 : 12.5, .fill = kInk, .bold = true});
  svg.line(kMargin, kTop - 4, kWidth - kMargin, kTop - 4, kRule);
}

}  // namespace

std::string sweep_svg(const Sweep& s) {
  const SweepGrid grid = grid_of(s);
  const double height = kTop + kRow * static_cast<double>(grid.lines.size()) + 58;
  const double width = (kWidth - 2 * kMargin - kLabel) /
                       static_cast<double>(std::max<std::size_t>(grid.columns.size(), 1));
  const std::string what =
      fmt::format("{} tiles on {}", name(s.request.tile.operands), place_of(s));
  Svg svg(kWidth, height, what, counts_text(s.kernels, "distinct kernel", "distinct kernels"));
  svg.text(kMargin, 40, what, {.size = 22, .fill = kInk, .bold = true});
  svg.text(kMargin, 64,
           fmt::format("{}{}, {}, {}; a block may have {} bytes of shared memory",
                       s.list.empty() ? "" : fmt::format("the tuner's list of {}; ", s.list),
                       name(s.request.family), name(s.request.tile.kernel),
                       release(s.request.family, s.request.builder), s.limit),
           {.size = 13.5, .fill = kSoft});
  legend(svg, grid, !s.list.empty());
  column_heads(svg, grid, width);
  double y = kTop;
  for (const SweepLine& l : grid.lines) {
    svg.text(kMargin, y + (l.notes.empty() ? 25 : 18), l.tile,
             {.size = 13.5, .fill = kInk, .bold = true});
    if (!l.notes.empty()) svg.text(kMargin, y + 33, l.notes, {.size = 10, .fill = kSoft});
    for (std::size_t c = 0; c < l.cells.size(); ++c)
      cell(svg, l.cells[c], s.limit,
           {kMargin + kLabel + static_cast<double>(c) * width, y, width - kGap});
    y += kRow;
  }
  svg.line(kMargin, y + 6, kWidth - kMargin, y + 6, kRule);
  svg.text(
      kMargin, y + 28,
      counts_text(s.kernels, "distinct kernel", "distinct kernels") +
          (s.list.empty() && s.left_out > 0
               ? fmt::format(
                     "; {} more combinations refused, with fewer than two stages or not modelled",
                     s.left_out)
               : ""),
      {.size = 12.5, .fill = kInk});
  return svg.finish();
}

}  // namespace tilefit
