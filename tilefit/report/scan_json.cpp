// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_json.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "tilefit/report/scan_rows.h"

namespace tilefit {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json dim_or_null(const Dim3& dim) { return dim[0] == 0 ? Json(nullptr) : Json(dim); }

Json dynamic_json(const DynamicSmem& dynamic) {
  Json json;
  json["bytes"] = dynamic.bytes.empty()       ? Json(nullptr)
                  : dynamic.bytes.size() == 1 ? Json(dynamic.bytes[0])
                                              : Json(dynamic.bytes);
  json["provenance"] = name(dynamic.provenance);
  if (dynamic.from != ReadFrom::none) json["from"] = name(dynamic.from);
  if (!dynamic.builder.empty()) json["builder"] = dynamic.builder;
  if (dynamic.partial) json["partial"] = true;
  if (dynamic.no_opt_in) json["at_most"] = 49152;
  if (dynamic.disagrees) json["disagrees"] = true;
  if (!dynamic.why.empty()) json["why"] = dynamic.why;
  return json;
}

Json verdict_json(const ScanReport& report, const ScannedKernel& kernel, const KernelVerdict& v) {
  const ScanGpu& gpu = report.gpus[static_cast<std::size_t>(v.gpu)];
  Json json{{"gpu", gpu.name}, {"arch", gpu.arch->name}, {"outcome", name(v.outcome)}};
  if (v.image >= 0) {
    const KernelImage& image = kernel.facts.images[static_cast<std::size_t>(v.image)];
    json["runs"] = text(image.target, image.facts.code);
  }
  if (v.outcome != Outcome::too_many_registers && v.needs > 0) json["needs_bytes"] = v.needs;
  if (v.blocks_per_sm > 0) json["blocks_per_sm"] = v.blocks_per_sm;
  if (std::string why = reason(report, kernel, v); !why.empty()) json["reason"] = std::move(why);
  if (v.known) json["in_baseline"] = true;
  return json;
}

Json row_json(const ScanReport& report, const ScanRow& row) {
  const KernelFacts& kernel = row.kernel->facts;
  const ImageFacts& facts = row.facts();
  Json json{{"symbol", kernel.symbol},
            {"short", kernel.short_name},
            {"family", kernel.family},
            {"file", report.files[static_cast<std::size_t>(kernel.file)].path},
            {"targets", targets_of(row)},
            {"code", name(facts.code)},
            {"body", name(facts.body)}};
  json["registers"] = or_null(facts.registers);
  json["spill_bytes"] = or_null(facts.spill_bytes);
  json["stack"] = facts.stack;
  json["local"] = facts.local;
  json["constant0"] = or_null(facts.constant0);
  json["text_bytes"] = facts.text_bytes;
  json["barriers"] = or_null(facts.barriers);
  json["max_threads"] = dim_or_null(facts.max_threads);
  json["required_threads"] = dim_or_null(facts.required_threads);
  json["cluster"] = dim_or_null(facts.cluster);
  json["static_smem"] = facts.static_smem;
  json["dynamic_smem"] = dynamic_json(kernel.dynamic);
  json["verdicts"] = Json::array();
  for (const KernelVerdict* v : row.verdicts)
    json["verdicts"].push_back(verdict_json(report, *row.kernel, *v));
  return json;
}

Json file_json(const ScannedFile& file) {
  Json json{{"path", file.path},
            {"kind", file.kind},
            {"entries", file.entries},
            {"targets", file.targets},
            {"kernels", file.kernels}};
  json["notes"] = Json::array();
  for (const ScanNote& note : file.notes)
    json["notes"].push_back({{"at", note.at}, {"what", note.what}, {"damage", note.damage}});
  return json;
}

Json summary_json(const ScanReport& report) {
  Json json{{"files", report.files.size()}, {"kernels", report.kernels.size()}};
  const std::vector<OutcomeCounts> counts = count_outcomes(report);
  json["gpus"] = Json::array();
  for (std::size_t g = 0; g < report.gpus.size(); ++g) {
    const ScanGpu& gpu = report.gpus[g];
    Json outcomes;
    for (std::size_t o = 0; o < counts[g].size(); ++o)
      if (counts[g][o] > 0) outcomes[std::string(kOutcomeNames[o])] = counts[g][o];
    json["gpus"].push_back({{"gpu", gpu.name},
                            {"arch", gpu.arch->name},
                            {"limit_bytes", gpu.arch->smem_per_block},
                            {"outcomes", outcomes}});
  }
  return json;
}

}  // namespace

void scan_json(const ScanReport& report, bool all, const Write& write) {
  write(R"({"schema":"tilefit.scan/1","files":[)");
  std::string_view separator;
  for (const ScannedFile& file : report.files) {
    write(separator);
    write(dumped(file_json(file)));
    separator = ",";
  }
  write(R"(],"kernels":[)");
  separator = "";
  for (const ScannedKernel& kernel : report.kernels) {
    for (const ScanRow& row : rows_of(kernel)) {
      if (!all && !row.is_finding()) continue;
      write(separator);
      write("\n");
      write(dumped(row_json(report, row)));
      separator = ",";
    }
  }
  write(R"(],"summary":)");
  write(dumped(summary_json(report)));
  write("}\n");
}

}  // namespace tilefit
