// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/combine_smem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tilefit/read/kernel_name.h"

namespace tilefit {
namespace {

bool holds(const std::vector<Bytes>& all, Bytes one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Whether every value of `few` is among `many`.
bool is_part(const std::vector<Bytes>& few, const std::vector<Bytes>& many) {
  return std::all_of(few.begin(), few.end(), [&](Bytes b) { return holds(many, b); });
}

std::string statement(const DynamicSmem& smem) {
  return fmt::format("{} says {} B", smem.from == ReadFrom::host_code ? "host code" : name(smem.from),
                     fmt::join(smem.bytes, " or "));
}

}  // namespace

DynamicSmem combine(DynamicSmem better, const DynamicSmem& other) {
  if (better.bytes.empty()) {
    if (!other.bytes.empty() || better.why.empty()) return other;
    return better;
  }
  // A list from a name is open (which builder?), so one of its values is agreement.
  if (other.bytes.empty() || is_part(better.bytes, other.bytes) || is_part(other.bytes, better.bytes))
    return better;
  better.why = fmt::format("{}, {}", statement(better), statement(other));
  better.disagrees = true;
  for (Bytes bytes : other.bytes)
    if (!holds(better.bytes, bytes)) better.bytes.push_back(bytes);
  std::sort(better.bytes.begin(), better.bytes.end());
  return better;
}

void read_names(std::vector<KernelFacts>& kernels) {
  for (KernelFacts& kernel : kernels) {
    KernelName name = read_kernel_name(kernel.symbol);
    kernel.short_name = std::move(name.short_name);
    kernel.family = name.family;
    kernel.dynamic = combine(std::move(kernel.dynamic), name.dynamic);
  }
}

}  // namespace tilefit
