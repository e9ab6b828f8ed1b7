// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/plan_text.h"

#include <algorithm>
#include <iterator>

#include "tilefit/model/gpu.h"

namespace tilefit {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string tile_name(const Tile& t) { return fmt::format("{}x{}x{}", t.m, t.n, t.k); }

/// What tells this tile from a default one, in the words of its flags.
std::string attributes(const TileRequest& r) {
  const Tile& t = r.tile;
  std::string out = fmt::format("{}, {}, {}", name(t.operands), name(t.kernel), name(t.epilogue));
  if (t.mainloop == Mainloop::mixed) out += ", mixed input";
  if (t.swap_ab && t.mainloop == Mainloop::same) out += ", swap-AB";
  if (t.schedule != Schedule::automatic) out += fmt::format(", {}", name(t.schedule));
  if (t.epilogue_schedule != EpilogueSchedule::tma)
    out += fmt::format(", {} epilogue", name(t.epilogue_schedule));
  if (t.cluster != Cluster{})
    out += fmt::format(", cluster {}x{}x{}{}", t.cluster.m, t.cluster.n, t.cluster.k,
                       t.cluster.dynamic ? " dynamic" : "");
  if (t.c != Dtype::automatic) out += fmt::format(", C {}", name(t.c));
  if (t.d != Dtype::automatic) out += fmt::format(", D {}", name(t.d));
  if (!t.epilogue_tile.automatic())
    out += fmt::format(", epilogue tile {}x{}", t.epilogue_tile.m, t.epilogue_tile.n);
  return out + fmt::format(", out {}", name(t.out));
}

std::string verdict_word(const TilePlan& plan) {
  if (plan.outcome == Outcome::fits && plan.builds == Builds::refused) return "REFUSED";
  std::string word(name(plan.outcome));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c == '_' ? ' ' : static_cast<char>(c - 'a' + 'A'); });
  return word;
}

void heading(Out out, const TileReport& report, const TextStyle& style) {
  const TilePlan& p = report.plan;
  const std::string where = p.request.gpu != nullptr
                                ? fmt::format("{} ({})", p.request.gpu->name, p.request.arch->name)
                                : std::string(p.request.arch->name);
  fmt::format_to(out, "{}  {}\n", paint(style, kStrong, tile_name(p.request.tile)),
                 attributes(p.request));
  fmt::format_to(out, "{}\n",
                 paint(style, kFaint,
                       fmt::format("{}, {}, on {}", name(p.request.family),
                                   release(p.request.family, p.request.builder), where)));
}

void byte_map(Out out, const TileReport& report, const TextStyle& style) {
  constexpr int kBar = 40;
  const TilePlan& p = report.plan;
  Bytes widest = 1;
  for (const Region& r : p.smem) widest = std::max(widest, r.bytes);
  fmt::format_to(
      out, "\n{}\n",
      paint(style, kFaint,
            fmt::format("{:>9} {:>8}  {:<24} {:>6}", "offset", "bytes", "region", "share")));
  bool marked = false;
  for (const Region& r : p.smem) {
    const bool guilty = report.marked && !marked && r.part == report.culprit && r.part != Part::pad;
    marked = marked || guilty;
    const double share = static_cast<double>(r.bytes) / static_cast<double>(p.smem.total);
    const std::string line = fmt::format(
        "{:>9} {:>8}  {:<24} {:>5.1f}%  {}", r.offset, r.bytes, name(r.part), 100 * share,
        bar(style, static_cast<double>(r.bytes) / static_cast<double>(widest), kBar));
    if (guilty)
      fmt::format_to(out, "{}\n", paint(style, kBad, line + "  <-- here"));
    else if (r.part == Part::pad)
      fmt::format_to(out, "{}\n", paint(style, kFaint, line));
    else
      fmt::format_to(out, "{}\n", line);
  }
}

void sums(Out out, const TilePlan& p, const TextStyle& style) {
  const auto line = [&](Bytes value, std::string_view what) {
    fmt::format_to(out, "{:>18}  {}\n", value, what);
  };
  line(p.smem.total,
       fmt::format("total, {} {} ({})", p.stages, "stages",
                   p.request.tile.stages > 0 ? fmt::format("as asked; the builder would take {}",
                                                           std::max(p.stages_auto, 0))
                                             : "the builder's choice"));
  if (p.request.static_bytes > 0) line(p.request.static_bytes, "static, beside them");
  line(p.limit, p.request.limit > 0 ? "limit of a block, as given" : "limit of a block");
  const Bytes over = p.over();
  const auto how = over > 0 ? kBad : kGood;
  fmt::format_to(out, "{}\n",
                 paint(style, how,
                       fmt::format("{:>18}  {}", over > 0 ? over : -over,
                                   over > 0 ? "too many" : "to spare")));
}

void ledger_lines(Out out, const Ledger& l, const TextStyle& style) {
  fmt::format_to(out, "\n{}\n",
                 paint(style, kStrong, "what the builder counted, and what is there"));
  fmt::format_to(
      out, "{}\n",
      paint(style, kFaint, fmt::format("{:>9} {:>8} {:>8}  {}", "counted", "real", "", "")));
  Bytes believed = 0, real = 0;
  for (const LedgerLine& line : l.lines) {
    const Bytes gap = line.real - line.believed;
    const std::string shown = gap == 0 ? "" : fmt::format("{:+}", gap);
    fmt::format_to(out, "{:>9} {:>8} {}  {}\n", line.believed, line.real,
                   gap == 0 ? fmt::format("{:>8}", "")
                            : paint(style, gap > 0 ? kBad : kGood, fmt::format("{:>8}", shown)),
                   line.what);
    believed += line.believed;
    real += line.real;
  }
  fmt::format_to(out, "{:>9} {:>8} {:>+8}  sum\n", believed, real, real - believed);
}

void explain_ledger(Out out, const Ledger& l, const TextStyle& style) {
  if (!l.lines.empty()) ledger_lines(out, l, style);
  fmt::format_to(out,
                 "\n  stages = ({} capacity - {} reserved - {} epilogue) / {} a stage = {}{}\n",
                 l.capacity, l.reserved, l.carveout, l.stage, l.quotient,
                 l.quotient != l.stages ? fmt::format(", taken: {}", l.stages) : "");
}

void fix_list(Out out, const TileReport& report, const TextStyle& style) {
  fmt::format_to(out, "\n{}\n", paint(style, kStrong, "what makes it fit, one change each"));
  std::size_t flags = 0, change = 0;
  for (const Fix& f : report.fixes) {
    flags = std::max(flags, f.flags.size());
    change = std::max(change, f.change.size());
  }
  int number = 0;
  for (const Fix& f : report.fixes) {
    const std::string standing = f.plan.builds == Builds::compiled ? "compiled" : "size only";
    fmt::format_to(out, "  {:>2}  {}  {:<{}}  {:>6} B  {:>2} stages  {}\n", ++number,
                   paint(style, kGood, fmt::format("{:<{}}", f.flags, flags)), f.change, change,
                   f.plan.smem.total, f.plan.stages, paint(style, kFaint, standing));
    if (!f.source_change.empty() && number == 1)
      fmt::format_to(out, "      {}\n", paint(style, kFaint, "in the source: " + f.source_change));
  }
}

}  // namespace

std::string plan_text(const TileReport& report, const TextStyle& style) {
  const TilePlan& p = report.plan;
  std::string text;
  const Out out = std::back_inserter(text);
  heading(out, report, style);
  if (p.has_bytes()) {
    byte_map(out, report, style);
    sums(out, p, style);
  }
  fmt::format_to(out, "\n{}  {}\n", paint(style, p.usable() ? kGood : kBad, verdict_word(p)),
                 report.sentence);
  if (!p.source.empty())
    fmt::format_to(
        out, "{}\n",
        paint(style, kFaint,
              fmt::format("{}: {}", p.builds == Builds::compiled ? "device code" : "from",
                          p.source)));
  if (p.blocks_per_sm > 0 && p.usable())
    fmt::format_to(out, "{}\n",
                   paint(style, kFaint,
                         fmt::format("{} {} an SM by shared memory alone ({})", p.blocks_per_sm,
                                     p.blocks_per_sm == 1 ? "block" : "blocks",
                                     p.request.arch->granularity_measured()
                                         ? "rule measured on an H200"
                                         : "documented rule, not measured on this architecture")));
  if (report.ledger.capacity > 0) explain_ledger(out, report.ledger, style);
  if (!report.fixes.empty())
    fix_list(out, report, style);
  else if (!p.usable() && p.outcome != Outcome::unknown && p.outcome != Outcome::not_built)
    fmt::format_to(out,
                   "\nno single change that is tried makes it fit: change two, or another tile "
                   "(tilefit plan --help lists the flags)\n");
  return text;
}

std::string plan_row_heading(const TextStyle& style) {
  return paint(style, kFaint,
               fmt::format("{:<13} {:<11} {:<5} {:>6} {:>8} {:>9}  {}", "tile", "epilogue", "swap",
                           "stages", "bytes", "vs limit", "outcome")) +
         "\n";
}

std::string plan_row(const TilePlan& p, const TextStyle& style) {
  const std::string bytes = p.has_bytes() ? fmt::format("{}", p.smem.total) : "-";
  const std::string over = p.has_bytes() ? fmt::format("{:+}", p.over()) : "-";
  const std::string stages = p.stages > 0 ? fmt::format("{}", p.stages) : "-";
  const std::string word = p.outcome == Outcome::fits && p.builds == Builds::refused
                               ? "fits, but does not compile"
                               : std::string(name(p.outcome));
  return fmt::format("{:<13} {:<11} {:<5} {:>6} {:>8} {:>9}  {}\n", tile_name(p.request.tile),
                     name(p.request.tile.epilogue), p.request.tile.swap_ab ? "yes" : "no", stages,
                     bytes, over, paint(style, p.usable() ? kGood : kBad, word));
}

}  // namespace tilefit
