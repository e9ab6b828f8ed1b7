// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_diff_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tilefit/report/safe_text.h"
#include "tilefit/report/scan_rows.h"

namespace tilefit {
namespace {

using Json = nlohmann::ordered_json;

const ScannedKernel& kernel(const ScanReport& report, int index) {
  return report.kernels[static_cast<std::size_t>(index)];
}

std::string shown(const ScannedKernel& k) {
  return safe_text(k.facts.short_name.empty() ? k.facts.symbol : k.facts.short_name);
}

std::string size_of(const ScannedKernel& k, int gpu) {
  const KernelVerdict& v = k.verdicts[static_cast<std::size_t>(gpu)];
  return v.needs > 0 ? fmt::format("{} B", v.needs) : std::string("unknown");
}

void list(const ScanReport& report, const std::vector<int>& kernels, std::string_view heading,
          const TextStyle& style, const Write& write) {
  if (kernels.empty()) return;
  write("\n" + paint(style, kStrong, fmt::format("{}: {}", heading, kernels.size())) + "\n");
  for (int k : kernels) write("  " + shown(kernel(report, k)) + "\n");
}

Json symbols(const ScanReport& report, const std::vector<int>& kernels) {
  Json list = Json::array();
  for (int k : kernels)
    list.push_back({{"symbol", kernel(report, k).facts.symbol},
                    {"short", kernel(report, k).facts.short_name}});
  return list;
}

}  // namespace

void scan_diff_text(const ScanReport& before, const ScanReport& after, const ScanDiff& diff,
                    const TextStyle& style, const Write& write) {
  write(
      fmt::format("{} kernels before, {} after: {} gained, {} lost, {} changed, {} of them can no "
                  "longer be launched\n",
                  before.kernels.size(), after.kernels.size(), diff.gained.size(), diff.lost.size(),
                  diff.changed.size(), diff.broken()));
  for (const KernelChange& c : diff.changed) {
    const ScannedKernel &old_kernel = kernel(before, c.before),
                        &new_kernel = kernel(after, c.after);
    const std::string_view gpu = after.gpus[static_cast<std::size_t>(c.gpu)].name;
    const bool worse = is_finding(c.to) && !is_finding(c.from);
    write("\n" +
          paint(style, worse ? kBad : kStrong,
                fmt::format("{}: {} -> {}", gpu, name(c.from), name(c.to))) +
          "  " + shown(new_kernel) + "\n");
    write(
        paint(style, kFaint,
              fmt::format("  {} -> {}  {}", size_of(old_kernel, c.gpu), size_of(new_kernel, c.gpu),
                          reason(after, new_kernel,
                                 new_kernel.verdicts[static_cast<std::size_t>(c.gpu)]))) +
        "\n");
  }
  list(after, diff.gained, "gained", style, write);
  list(before, diff.lost, "lost", style, write);
}

void scan_diff_json(const ScanReport& before, const ScanReport& after, const ScanDiff& diff,
                    const Write& write) {
  Json changed = Json::array();
  for (const KernelChange& c : diff.changed) {
    const ScannedKernel& new_kernel = kernel(after, c.after);
    Json change{{"symbol", new_kernel.facts.symbol},
                {"short", new_kernel.facts.short_name},
                {"gpu", after.gpus[static_cast<std::size_t>(c.gpu)].name}};
    change["before"] = {{"outcome", name(c.from)},
                        {"dynamic_smem", kernel(before, c.before).facts.dynamic.bytes}};
    change["after"] = {{"outcome", name(c.to)}, {"dynamic_smem", new_kernel.facts.dynamic.bytes}};
    changed.push_back(std::move(change));
  }
  const Json document{{"schema", "tilefit.scan-diff/1"},
                      {"broken", diff.broken()},
                      {"changed", changed},
                      {"gained", symbols(after, diff.gained)},
                      {"lost", symbols(before, diff.lost)}};
  write(document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace tilefit
