// SPDX-License-Identifier: Apache-2.0
// From calls of the CUDA runtime to bytes by kernel: registrations first, then sizes.
#include "tilefit/read/host_code.h"

#include <algorithm>

#include "tilefit/read/host_reader.h"

namespace tilefit {

const HostKernel* HostCode::find(std::string_view symbol) const {
  const auto found = std::lower_bound(
      kernels.begin(), kernels.end(), symbol,
      [](const HostKernel& kernel, std::string_view s) { return kernel.symbol < s; });
  return found != kernels.end() && found->symbol == symbol ? &*found : nullptr;
}

HostCode read_host_code(const Elf& elf, const HostCodeOptions& options) {
  HostCode nothing;
  if (elf.machine != kMachineX86 && elf.machine != kMachineArm) {
    nothing.why = "host code of another processor";
    return nothing;
  }
  const HostImage image(elf);
  HostApiAddresses apis = find_host_apis(image);
  if (apis.targets.empty() && apis.slots.empty()) {
    nothing.why = "no calls of the CUDA runtime by name";
    return nothing;
  }
  const FunctionTable functions(image);
  const std::vector<CallSite> sites = find_call_sites(image, apis, options.release);
  HostReader reader(image, functions, std::move(apis));
  reader.read_registrations(sites, options);
  reader.read_sizes(sites, options);
  return reader.result();
}

DynamicSmem dynamic_smem(const HostKernel& kernel) {
  DynamicSmem out;
  const bool attributes =
      std::any_of(kernel.seen.begin(), kernel.seen.end(),
                  [](const HostValueSeen& v) { return v.source == HostSource::attribute; });
  for (const HostValueSeen& value : kernel.seen) {
    if (attributes && value.source != HostSource::attribute) continue;
    if (std::find(out.bytes.begin(), out.bytes.end(), value.bytes) == out.bytes.end()) {
      out.bytes.push_back(value.bytes);
    }
  }
  std::sort(out.bytes.begin(), out.bytes.end());
  if (out.bytes.empty()) {
    out.why = "host code computes the size at run time";
    return out;
  }
  out.provenance = Provenance::read;
  out.from = ReadFrom::host_code;
  if (out.bytes.size() > 1) out.why = "calls in host code ask for different sizes";
  if (attributes ? kernel.unknown_attributes > 0 : kernel.unknown_launches > 0) {
    out.why += out.why.empty() ? "" : "; ";
    out.why += "other calls compute the size at run time";
  }
  return out;
}

}  // namespace tilefit
