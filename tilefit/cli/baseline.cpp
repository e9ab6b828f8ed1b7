// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/baseline.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

namespace tilefit {
namespace {

using nlohmann::json;

/// File name, symbol, architecture, outcome.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

/// Installations move; the last part of a path names the file well enough.
std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of("/:");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string text_of(const json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

void add_keys(std::set<Key>& keys, const json& kernel) {
  if (!kernel.is_object()) return;
  const auto verdicts = kernel.find("verdicts");
  if (verdicts == kernel.end() || !verdicts->is_array()) return;
  for (const json& verdict : *verdicts)
    if (verdict.is_object())
      keys.emplace(file_name(text_of(kernel, "file")), text_of(kernel, "symbol"),
                   text_of(verdict, "arch"), text_of(verdict, "outcome"));
}

}  // namespace

std::optional<Error> apply_baseline(ScanReport& report, std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || text_of(document, "schema") != "tilefit.scan/1")
    return Error{"the baseline is no scan of this program", "--baseline",
                 "write one with: tilefit scan PATH --json -o FILE"};
  std::set<Key> keys;
  if (const auto kernels = document.find("kernels");
      kernels != document.end() && kernels->is_array())
    for (const json& kernel : *kernels) add_keys(keys, kernel);
  for (ScannedKernel& kernel : report.kernels) {
    const std::string file =
        file_name(report.files[static_cast<std::size_t>(kernel.facts.file)].path);
    for (KernelVerdict& v : kernel.verdicts)
      v.known = keys.contains({file, kernel.facts.symbol,
                               std::string(report.gpus[static_cast<std::size_t>(v.gpu)].arch->name),
                               std::string(name(v.outcome))});
  }
  return std::nullopt;
}

}  // namespace tilefit
