// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace tilefit {
namespace {

constexpr Bytes kBin = 8192;
constexpr int kWidth = 1000, kHeight = 220, kLeft = 50, kBottom = 30, kTop = 40;

struct Bins {
  std::vector<int> counts;
  int unknown = 0, most = 1;
};

Bins bins_of(const ScanReport& report, Bytes end) {
  Bins bins;
  bins.counts.resize(static_cast<std::size_t>(end / kBin));
  for (const ScannedKernel& kernel : report.kernels) {
    if (kernel.facts.dynamic.bytes.empty()) {
      ++bins.unknown;
      continue;
    }
    Bytes fixed = 0;
    for (const KernelImage& image : kernel.facts.images)
      fixed = std::max(fixed, image.facts.static_smem);
    const Bytes total = fixed + kernel.facts.dynamic.bytes.back();
    const auto bin = std::min(static_cast<std::size_t>(total / kBin), bins.counts.size() - 1);
    bins.most = std::max(bins.most, ++bins.counts[bin]);
  }
  return bins;
}

/// Limits by bytes, with the architectures that have each.
std::map<Bytes, std::string> limits_of(const ScanReport& report) {
  std::map<Bytes, std::string> limits;
  for (const ScanGpu& gpu : report.gpus) {
    std::string& names = limits[gpu.arch->smem_per_block];
    if (names.find(gpu.arch->name) == std::string::npos)
      names += (names.empty() ? "" : " ") + std::string(gpu.arch->name);
  }
  return limits;
}

}  // namespace

std::string smem_histogram(const ScanReport& report) {
  const std::map<Bytes, std::string> limits = limits_of(report);
  const Bytes widest = limits.empty() ? 0 : limits.rbegin()->first;
  const Bytes end = round_up(std::max<Bytes>(widest, 232448) + kBin, kBin);
  const Bins bins = bins_of(report, end);
  const auto x = [&](Bytes bytes) {
    return kLeft + static_cast<double>(bytes) / static_cast<double>(end) * (kWidth - kLeft);
  };
  std::string svg = fmt::format(
      "<svg viewBox='0 0 {} {}' role='img' aria-label='kernels by bytes of shared memory'>\n",
      kWidth, kHeight + kBottom + kTop);
  auto out = std::back_inserter(svg);
  const double base = kTop + kHeight;
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    if (bins.counts[i] == 0) continue;
    const double height = static_cast<double>(bins.counts[i]) / bins.most * kHeight;
    const Bytes from = static_cast<Bytes>(i) * kBin;
    fmt::format_to(out,
                   "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' "
                   "fill='var(--bar)'><title>{} kernels from {} to {} B</title></rect>\n",
                   x(from) + 1, base - height, x(kBin) - x(0) - 2, height, bins.counts[i], from,
                   from + kBin - 1);
  }
  for (Bytes kib = 0; kib * 1024 < end; kib += 32)
    fmt::format_to(out, "<text x='{:.1f}' y='{}' text-anchor='middle'>{} KiB</text>\n",
                   x(kib * 1024), base + 16, kib);
  fmt::format_to(out,
                 "<text x='{}' y='{}' text-anchor='end'>{}</text><line x1='{}' x2='{}' y1='{}' "
                 "y2='{}' stroke='var(--line)'/>\n",
                 kLeft - 4, kTop + 8, bins.most, kLeft, kWidth, base, base);
  int row = 0;
  for (const auto& [bytes, names] : limits) {
    const bool near_end = x(bytes) > kWidth * 0.8;
    const int y = 12 + 13 * (row++ % 2);
    fmt::format_to(
        out,
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='var(--bad)' stroke-dasharray='4 "
        "3'/><text x='{3:.1f}' y='{1}' text-anchor='{4}'>{5} B: {6}</text>\n",
        x(bytes), y, base, x(bytes) + (near_end ? -4 : 4), near_end ? "end" : "start", bytes,
        names);
  }
  svg += "</svg>\n";
  if (bins.unknown > 0)
    svg += fmt::format(
        "<p class=faint>{} kernels are left out: their dynamic shared memory is not known</p>\n",
        bins.unknown);
  return svg;
}

}  // namespace tilefit
