// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilefit {
namespace {

std::string no_code_reason(const ScannedKernel& kernel, const Arch& arch) {
  std::vector<std::string> targets;
  for (const KernelImage& image : kernel.facts.images) {
    std::string target = text(image.target, image.facts.code);
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(std::move(target));
  }
  return fmt::format("none of its code runs on {}: {}", arch.name, fmt::join(targets, ", "));
}

std::string over_reason(const ScannedKernel& kernel, const KernelVerdict& verdict,
                        const Arch& arch) {
  const ImageFacts& facts = kernel.facts.images[static_cast<std::size_t>(verdict.image)].facts;
  return fmt::format("needs {} B ({} static + {} dynamic), {} over the limit of {}", verdict.needs,
                     facts.static_smem, verdict.needs - facts.static_smem,
                     verdict.needs - arch.smem_per_block, arch.smem_per_block);
}

std::string unknown_reason(const ScannedKernel& kernel) {
  const DynamicSmem& dynamic = kernel.facts.dynamic;
  if (dynamic.bytes.size() > 1) return "which of the sizes holds is not known: " + dynamic.why;
  return dynamic.why.empty() ? "its dynamic shared memory is not known" : dynamic.why;
}

}  // namespace

bool is_open_finding(const KernelVerdict& verdict) {
  return is_finding(verdict.outcome) && !verdict.known;
}

bool ScanRow::is_finding() const {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const KernelVerdict* v) { return is_open_finding(*v); });
}

std::vector<ScanRow> rows_of(const ScannedKernel& kernel) {
  std::vector<ScanRow> rows;
  std::vector<std::size_t> row_of_image;
  for (const KernelImage& image : kernel.facts.images) {
    std::size_t r = 0;
    while (r < rows.size() && rows[r].facts() != image.facts) ++r;
    if (r == rows.size()) rows.push_back({.kernel = &kernel, .images = {}, .verdicts = {}});
    rows[r].images.push_back(&image);
    row_of_image.push_back(r);
  }
  for (const KernelVerdict& v : kernel.verdicts) {
    const std::size_t r = v.image < 0 ? 0 : row_of_image[static_cast<std::size_t>(v.image)];
    rows[r].verdicts.push_back(&v);
  }
  return rows;
}

std::vector<std::string> targets_of(const ScanRow& row) {
  std::vector<std::string> targets;
  for (const KernelImage* image : row.images) {
    std::string target = text(image->target, image->facts.code);
    if (targets.empty() || targets.back() != target) targets.push_back(std::move(target));
  }
  return targets;
}

std::vector<OutcomeCounts> count_outcomes(const ScanReport& report) {
  std::vector<OutcomeCounts> counts(report.gpus.size(), OutcomeCounts{});
  for (const ScannedKernel& kernel : report.kernels)
    for (const KernelVerdict& v : kernel.verdicts)
      ++counts[static_cast<std::size_t>(v.gpu)][static_cast<std::size_t>(v.outcome)];
  return counts;
}

std::string reason(const ScanReport& report, const ScannedKernel& kernel,
                   const KernelVerdict& verdict) {
  const Arch& arch = *report.gpus[static_cast<std::size_t>(verdict.gpu)].arch;
  switch (verdict.outcome) {
    case Outcome::no_code:
      return no_code_reason(kernel, arch);
    case Outcome::over_limit:
      return over_reason(kernel, verdict, arch);
    case Outcome::stub:
      return "an empty body stands in for the kernel in this code";
    case Outcome::too_many_registers:
      return fmt::format("a block takes {} registers of {}", verdict.needs,
                         arch.registers_per_block);
    case Outcome::arch_tag_mismatch:
      return fmt::format("its name is that of a kernel for other instructions than those of {}",
                         arch.name);
    case Outcome::unknown:
      return unknown_reason(kernel);
    default:
      return {};
  }
}

}  // namespace tilefit
