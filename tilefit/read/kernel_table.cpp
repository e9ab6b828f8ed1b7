// SPDX-License-Identifier: Apache-2.0
// Also settles what only all images together show: bodies that are empty everywhere are no stubs.
#include "tilefit/read/kernel_table.h"

#include <algorithm>
#include <utility>

#include "tilefit/read/arch_tag.h"

namespace tilefit {
namespace {

bool has_image(const KernelFacts& kernel, const CodeTarget& target, const ImageFacts& facts) {
  return std::any_of(kernel.images.begin(), kernel.images.end(), [&](const KernelImage& image) {
    return image.target == target && image.facts == facts;
  });
}

/// A size that the code itself names holds for every image that names it.
void take_embedded_size(KernelFacts& kernel) {
  for (const KernelImage& image : kernel.images) {
    const std::optional<Bytes>& size = image.facts.embedded_smem;
    std::vector<Bytes>& bytes = kernel.dynamic.bytes;
    if (!size || std::find(bytes.begin(), bytes.end(), *size) != bytes.end()) continue;
    bytes.push_back(*size);
    kernel.dynamic.provenance = Provenance::read;
    kernel.dynamic.from = ReadFrom::embedded;
  }
  std::sort(kernel.dynamic.bytes.begin(), kernel.dynamic.bytes.end());
}

/// A kernel that is empty for every chip, never traps and is named after none was written so.
void spare_empty_kernel(KernelFacts& kernel) {
  const bool all_idle =
      std::all_of(kernel.images.begin(), kernel.images.end(), [](const KernelImage& image) {
        return image.facts.code == CodeKind::ptx ||
               (image.facts.body == Body::stub && !image.facts.traps);
      });
  if (!all_idle || arch_tag(kernel.symbol) != 0) return;
  for (KernelImage& image : kernel.images) image.facts.body = Body::real;
}

}  // namespace

void KernelTable::add(EntryFacts entry, int index) {
  for (NamedFacts& function : entry.functions) {
    if (!function.facts.is_kernel) continue;
    auto found = by_symbol_.find(function.name);
    if (found == by_symbol_.end()) {
      KernelFacts& kernel = kernels_.emplace_back();
      kernel.symbol = std::move(function.name);
      kernel.file = file_;
      found = by_symbol_.emplace(kernel.symbol, &kernel).first;
    }
    KernelFacts& kernel = *found->second;
    if (!has_image(kernel, entry.target, function.facts))
      kernel.images.push_back({entry.target, std::move(function.facts), index});
  }
}

std::vector<KernelFacts> KernelTable::take() {
  by_symbol_.clear();
  std::vector<KernelFacts> kernels;
  kernels.reserve(kernels_.size());
  for (KernelFacts& kernel : kernels_) {
    take_embedded_size(kernel);
    spare_empty_kernel(kernel);
    kernels.push_back(std::move(kernel));
  }
  kernels_.clear();
  return kernels;
}

}  // namespace tilefit
