// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_sarif.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tilefit/report/safe_text.h"
#include "tilefit/report/scan_rows.h"

namespace tilefit {
namespace {

using Json = nlohmann::ordered_json;

struct Rule {
  std::string_view id, level, text;
};

constexpr std::array kRules{
    Rule{"over_limit", "error", "A launch asks for more shared memory than a block may have."},
    Rule{"too_many_registers", "error", "A block takes more registers than the register file has."},
    Rule{"arch_tag_mismatch", "warning",
         "The kernel is written for instructions of another architecture."},
    Rule{"no_code", "warning", "The file has no code that this GPU runs."},
    Rule{"stub", "note", "An empty body stands in for the kernel."},
    Rule{"disagreement", "warning",
         "Two ways of reading the shared memory size give different bytes."},
    Rule{"damaged", "warning", "A part of the file could not be read."},
};

const Rule& rule(std::string_view id) {
  for (const Rule& r : kRules)
    if (r.id == id) return r;
  return kRules.back();
}

/// Spaces and the like must be escaped in a URI; what names an archive's member follows as it is.
std::string uri(std::string_view path) {
  std::string out;
  for (char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~/!$&'()*+,;=@").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Json result(std::string_view id, const std::string& message, const ScannedFile& file) {
  return {
      {"ruleId", id},
      {"level", rule(id).level},
      {"message", {{"text", message}}},
      {"locations",
       Json::array({{{"physicalLocation", {{"artifactLocation", {{"uri", uri(file.path)}}}}}}})}};
}

Json of_kernel(Json result, const KernelFacts& kernel) {
  result["locations"][0]["logicalLocations"] =
      Json::array({{{"name", safe_text(kernel.short_name)},
                    {"fullyQualifiedName", safe_text(kernel.symbol)},
                    {"kind", "function"}}});
  return result;
}

class Results {
 public:
  explicit Results(const Write& write) : write_(write) {}
  void add(const Json& result) {
    write_(separator_);
    write_(result.dump(-1, ' ', false, Json::error_handler_t::replace));
    separator_ = ",\n";
  }

 private:
  const Write& write_;
  std::string_view separator_;
};

void kernel_results(const ScanReport& report, const ScannedKernel& kernel, Results& results) {
  const ScannedFile& file = report.files[static_cast<std::size_t>(kernel.facts.file)];
  const std::string short_name = safe_text(kernel.facts.short_name);
  for (const KernelVerdict& v : kernel.verdicts) {
    if (!is_open_finding(v)) continue;
    const ScanGpu& gpu = report.gpus[static_cast<std::size_t>(v.gpu)];
    const std::string message =
        fmt::format("{} on {}: {}", short_name, gpu.name, reason(report, kernel, v));
    results.add(of_kernel(result(name(v.outcome), message, file), kernel.facts));
  }
  if (kernel.facts.dynamic.disagrees)
    results.add(of_kernel(
        result("disagreement", fmt::format("{}: {}", short_name, kernel.facts.dynamic.why), file),
        kernel.facts));
}

}  // namespace

void scan_sarif(const ScanReport& report, std::string_view version, const Write& write) {
  Json driver{{"name", "tilefit"}, {"version", version}, {"rules", Json::array()}};
  for (const Rule& r : kRules)
    driver["rules"].push_back({{"id", r.id},
                               {"shortDescription", {{"text", r.text}}},
                               {"defaultConfiguration", {{"level", r.level}}}});
  write(
      R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":)");
  write(driver.dump());
  write("},\"results\":[\n");
  Results results(write);
  for (const ScannedFile& file : report.files)
    for (const ScanNote& note : file.notes)
      if (note.damage)
        results.add(
            result("damaged", fmt::format("{} (at {:#x})", safe_text(note.what), note.at), file));
  for (const ScannedKernel& kernel : report.kernels) kernel_results(report, kernel, results);
  write("]}]}\n");
}

}  // namespace tilefit
