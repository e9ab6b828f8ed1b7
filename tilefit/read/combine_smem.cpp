// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/combine_smem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tilefit/read/host_code.h"
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
  return fmt::format("{} says {} B",
                     smem.from == ReadFrom::host_code ? "host code" : name(smem.from),
                     fmt::join(smem.bytes, " or "));
}

DynamicSmem from_host(const HostKernel& kernel) {
  DynamicSmem smem = dynamic_smem(kernel);
  const bool attributes =
      std::any_of(kernel.seen.begin(), kernel.seen.end(),
                  [](const HostValueSeen& v) { return v.source == HostSource::attribute; });
  smem.partial =
      !smem.bytes.empty() && (attributes ? kernel.unknown_attributes : kernel.unknown_launches) > 0;
  return smem;
}

/// Whether this host code launches the kernel and nothing in it, followed to the last call, raises
/// the size that launches may ask for.
bool never_opts_in(const HostCode& host, std::string_view symbol) {
  if (host.attributes_unplaced > 0) return false;
  const HostKernel* kernel = host.find(symbol);
  if (kernel != nullptr && kernel->unknown_attributes > 0) return false;
  return std::binary_search(host.registered.begin(), host.registered.end(), symbol);
}

}  // namespace

DynamicSmem combine(DynamicSmem better, const DynamicSmem& other) {
  if (better.bytes.empty()) {
    if (other.bytes.empty() && !better.why.empty()) return better;
    DynamicSmem taken = other;
    taken.no_opt_in = better.no_opt_in && other.bytes.empty();
    return taken;
  }
  // A list from a name is open (which builder?), so one of its values is agreement.
  if (other.bytes.empty() || is_part(better.bytes, other.bytes) ||
      is_part(other.bytes, better.bytes))
    return better;
  better.why = fmt::format("{}, {}", statement(better), statement(other));
  better.disagrees = true;
  for (Bytes bytes : other.bytes)
    if (!holds(better.bytes, bytes)) better.bytes.push_back(bytes);
  std::sort(better.bytes.begin(), better.bytes.end());
  return better;
}

void read_host_smem(std::vector<KernelFacts>& kernels, const Elf& program, const Release& release) {
  const HostCode host = read_host_code(program, {.release = release});
  for (KernelFacts& kernel : kernels) {
    if (const HostKernel* found = host.find(kernel.symbol)) {
      kernel.dynamic = combine(from_host(*found), kernel.dynamic);
    } else if (kernel.dynamic.bytes.empty()) {
      kernel.dynamic.why = "no call in host code names a size for it";
    }
    kernel.dynamic.no_opt_in = kernel.dynamic.bytes.empty() && never_opts_in(host, kernel.symbol);
  }
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
