// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "tilefit/report/safe_text.h"
#include "tilefit/report/scan_rows.h"

namespace tilefit {
namespace {

constexpr std::size_t kShown =
    10;  // of one GPU's findings of one outcome, unless all are asked for

/// Outcomes in the order in which they are shown: what fails first, what may be meant last.
constexpr Outcome kOrder[] = {Outcome::over_limit,
                              Outcome::too_many_registers,
                              Outcome::arch_tag_mismatch,
                              Outcome::no_code,
                              Outcome::stub,
                              Outcome::unknown,
                              Outcome::fits};

std::string plural(std::size_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

std::string short_name(const ScannedKernel& kernel) {
  const KernelFacts& facts = kernel.facts;
  return safe_text(facts.short_name.empty() ? facts.symbol : facts.short_name);
}

std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  return text.substr(0, width - 3) + "...";
}

/// Every target of the report, in order.
std::vector<std::string> all_targets(const ScanReport& report) {
  std::set<std::pair<CodeKind, CodeTarget>> targets;
  for (const ScannedKernel& kernel : report.kernels)
    for (const KernelImage& image : kernel.facts.images)
      targets.emplace(image.facts.code, image.target);
  std::vector<std::string> names;
  for (const auto& [code, target] : targets) names.push_back(text(target, code));
  return names;
}

class Printer {
 public:
  Printer(const ScanReport& report, bool all, const TextStyle& style, const Write& write)
      : report_(report), all_(all), style_(style), write_(write), counts_(count_outcomes(report)) {}

  void summary() {
    std::size_t with_code = 0;
    for (const ScannedFile& file : report_.files) with_code += file.entries > 0 ? 1 : 0;
    line(paint(style_, kStrong,
               fmt::format("{} in {} with device code", plural(report_.kernels.size(), "kernel"),
                           plural(with_code, "file"))));
    if (report_.files.size() == 1) line("  " + safe_text(report_.files[0].path));
    if (const auto targets = all_targets(report_); !targets.empty())
      line(fmt::format("  code for {}", fmt::join(targets, ", ")));
    notes();
    if (!report_.kernels.empty()) table();
  }

  void findings() {
    for (int g = 0; g < static_cast<int>(report_.gpus.size()); ++g)
      for (Outcome outcome : kOrder)
        if (is_finding(outcome) || (all_ && outcome == Outcome::unknown)) section(g, outcome);
    disagreements();
  }

  void every_kernel() {
    line("");
    line(paint(style_, kStrong, "all kernels"));
    line(fmt::format("{:>5} {:>7} {:>12}  {:<10} {:<8} {}", "regs", "static", "dynamic", "from",
                     "body", "kernel [targets]"));
    for (const ScannedKernel& kernel : report_.kernels)
      for (const ScanRow& row : rows_of(kernel)) kernel_line(row);
  }

 private:
  void line(std::string_view text) {
    write_(text);
    write_("\n");
  }

  void notes() {
    for (const ScannedFile& file : report_.files)
      for (const ScanNote& note : file.notes)
        line(paint(
            style_, note.damage ? kBad : kFaint,
            fmt::format("  note: {}{}: {}", safe_text(file.path),
                        note.at > 0 ? fmt::format("+{:#x}", note.at) : "", safe_text(note.what))));
  }

  void table() {
    std::vector<Outcome> used;
    for (Outcome o : kOrder)
      if (std::any_of(counts_.begin(), counts_.end(),
                      [&](const OutcomeCounts& c) { return c[static_cast<std::size_t>(o)] > 0; }))
        used.push_back(o);
    std::string heading = fmt::format("\n{:<24} {:>8}", "GPU", "limit");
    for (Outcome o : used) heading += fmt::format("  {:>{}}", name(o), width(o));
    line(paint(style_, kStrong, heading));
    for (std::size_t g = 0; g < report_.gpus.size(); ++g) {
      const ScanGpu& gpu = report_.gpus[g];
      std::string row =
          fmt::format("{:<24} {:>8}", cut(safe_text(gpu.name), 24), gpu.arch->smem_per_block);
      for (Outcome o : used) {
        const int count = counts_[g][static_cast<std::size_t>(o)];
        row += "  " + paint(style_, count == 0 || !is_finding(o) ? kFaint : kBad,
                            fmt::format("{:>{}}", count, width(o)));
      }
      line(row);
    }
  }

  static std::size_t width(Outcome o) { return std::max<std::size_t>(name(o).size(), 6); }

  void section(int gpu, Outcome outcome) {
    std::vector<std::pair<const ScannedKernel*, const KernelVerdict*>> found;
    for (const ScannedKernel& kernel : report_.kernels)
      for (const KernelVerdict& v : kernel.verdicts)
        if (v.gpu == gpu && v.outcome == outcome && !v.known) found.emplace_back(&kernel, &v);
    if (found.empty()) return;
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.second->needs > b.second->needs;
    });
    line("");
    line(paint(style_, kStrong,
               fmt::format("{}: {} {}", safe_text(report_.gpus[static_cast<std::size_t>(gpu)].name),
                           plural(found.size(), "kernel"), name(outcome))));
    const std::size_t shown = all_ ? found.size() : std::min(found.size(), kShown);
    for (std::size_t i = 0; i < shown; ++i) finding(*found[i].first, *found[i].second);
    if (shown < found.size())
      line(paint(style_, kFaint,
                 fmt::format("  ... and {} more (--all lists them)", found.size() - shown)));
  }

  void finding(const ScannedKernel& kernel, const KernelVerdict& verdict) {
    line("  " + cut(short_name(kernel), static_cast<std::size_t>(style_.width) - 2));
    std::string where;
    if (report_.files.size() > 1)
      where = "; in " + safe_text(report_.files[static_cast<std::size_t>(kernel.facts.file)].path);
    line(paint(style_, kFaint,
               "    " + reason(report_, kernel, verdict) + provenance(kernel, verdict) + where));
  }

  static std::string provenance(const ScannedKernel& kernel, const KernelVerdict& verdict) {
    const DynamicSmem& dynamic = kernel.facts.dynamic;
    if (verdict.outcome != Outcome::over_limit || dynamic.from == ReadFrom::none) return {};
    return fmt::format("; read from {}", name(dynamic.from));
  }

  void disagreements() {
    std::size_t count = 0;
    for (const ScannedKernel& kernel : report_.kernels) {
      if (!kernel.facts.dynamic.disagrees) continue;
      if (count++ == 0)
        line("\n" + paint(style_, kStrong, "sizes that two ways of reading disagree about"));
      if (count > kShown && !all_) continue;
      line("  " + cut(short_name(kernel), static_cast<std::size_t>(style_.width) - 2));
      line(paint(style_, kFaint, "    " + kernel.facts.dynamic.why));
    }
    if (count > kShown && !all_)
      line(paint(style_, kFaint,
                 fmt::format("  ... and {} more (--all lists them)", count - kShown)));
  }

  void kernel_line(const ScanRow& row) {
    const DynamicSmem& dynamic = row.kernel->facts.dynamic;
    const std::string registers =
        row.facts().registers ? std::to_string(*row.facts().registers) : "-";
    const std::string bytes =
        dynamic.bytes.empty() ? "unknown" : fmt::format("{}", fmt::join(dynamic.bytes, "|"));
    line(fmt::format("{:>5} {:>7} {:>12}  {:<10} {:<8} {} [{}]", registers, row.facts().static_smem,
                     bytes, name(dynamic.from),
                     row.facts().code == CodeKind::ptx ? "ptx" : name(row.facts().body),
                     short_name(*row.kernel), fmt::join(targets_of(row), " ")));
  }

  const ScanReport& report_;
  bool all_;
  const TextStyle& style_;
  const Write& write_;
  std::vector<OutcomeCounts> counts_;
};

}  // namespace

void scan_text(const ScanReport& report, bool all, const TextStyle& style, const Write& write) {
  Printer printer(report, all, style, write);
  printer.summary();
  printer.findings();
  if (all) printer.every_kernel();
}

}  // namespace tilefit
