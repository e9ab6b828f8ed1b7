// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/diff_scans.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tilefit {
namespace {

/// The first kernel of each symbol; libraries of one package may hold copies.
std::unordered_map<std::string_view, int> by_symbol(const ScanReport& report) {
  std::unordered_map<std::string_view, int> index;
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    index.emplace(report.kernels[i].facts.symbol, static_cast<int>(i));
  return index;
}

Bytes static_bytes(const ScannedKernel& kernel, const KernelVerdict& verdict) {
  if (verdict.image < 0) return 0;
  return kernel.facts.images[static_cast<std::size_t>(verdict.image)].facts.static_smem;
}

void compare(const ScanReport& before, int b, const ScanReport& after, int a, ScanDiff& result) {
  const ScannedKernel& old_kernel = before.kernels[static_cast<std::size_t>(b)];
  const ScannedKernel& new_kernel = after.kernels[static_cast<std::size_t>(a)];
  const std::size_t gpus = std::min(old_kernel.verdicts.size(), new_kernel.verdicts.size());
  for (std::size_t g = 0; g < gpus; ++g) {
    const KernelVerdict &from = old_kernel.verdicts[g], &to = new_kernel.verdicts[g];
    const bool same_bytes = old_kernel.facts.dynamic.bytes == new_kernel.facts.dynamic.bytes &&
                            static_bytes(old_kernel, from) == static_bytes(new_kernel, to);
    if (from.outcome == to.outcome && same_bytes) continue;
    result.changed.push_back({b, a, static_cast<int>(g), from.outcome, to.outcome});
  }
}

}  // namespace

ScanDiff diff_scans(const ScanReport& before, const ScanReport& after) {
  const auto old_index = by_symbol(before), new_index = by_symbol(after);
  ScanDiff result;
  for (std::size_t i = 0; i < after.kernels.size(); ++i) {
    const std::string_view symbol = after.kernels[i].facts.symbol;
    if (new_index.at(symbol) != static_cast<int>(i)) continue;
    const auto old_kernel = old_index.find(symbol);
    if (old_kernel == old_index.end()) {
      result.gained.push_back(static_cast<int>(i));
    } else {
      compare(before, old_kernel->second, after, static_cast<int>(i), result);
    }
  }
  for (std::size_t i = 0; i < before.kernels.size(); ++i) {
    const std::string_view symbol = before.kernels[i].facts.symbol;
    if (old_index.at(symbol) == static_cast<int>(i) && !new_index.contains(symbol))
      result.lost.push_back(static_cast<int>(i));
  }
  return result;
}

}  // namespace tilefit
