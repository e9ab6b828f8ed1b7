// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tilefit/report/doctor_report.h"

namespace tilefit {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json bytes_or_null(Bytes b) { return b < 0 ? ordered_json() : ordered_json(b); }

ordered_json inputs_json(const Diagnosis& d) {
  ordered_json list = ordered_json::array();
  for (const DoctorInput& i : d.inputs) {
    ordered_json one{
        {"path", i.path}, {"kind", i.kind}, {"lines", i.lines}, {"skipped_lines", i.skipped_lines}};
    if (!i.stopped.empty()) one["stopped"] = i.stopped;
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json finding_json(const Finding& f, const Diagnosis& d) {
  const std::string arch = f.arch.empty() ? d.arch : f.arch;
  const bool judged = f.required >= 0 && f.limit > 0;
  ordered_json out{{"id", f.id},
                   {"class", name(f.trouble)},
                   {"severity", name(f.severity)},
                   {"subject", f.subject}};
  out["gpu"] = text_or_null(d.gpu);
  out["arch"] = text_or_null(arch);
  out["required_bytes"] = bytes_or_null(f.required);
  out["limit_bytes"] = bytes_or_null(f.limit > 0 ? f.limit : -1);
  out["fits"] = judged ? ordered_json(f.required <= f.limit) : ordered_json();
  out["stages"] = f.stages > 0 ? ordered_json(f.stages) : ordered_json();
  out["times"] = f.times;
  ordered_json evidence = ordered_json::array();
  for (const Evidence& e : f.evidence)
    evidence.push_back({{"path", d.inputs[static_cast<std::size_t>(e.input)].path},
                        {"line", e.line},
                        {"text", e.text}});
  out["evidence"] = std::move(evidence);
  out["why"] = f.why;
  out["fixes"] = f.fixes;
  out["confidence"] = name(f.confidence);
  return out;
}

}  // namespace

std::string doctor_json(const Diagnosis& d) {
  ordered_json out{
      {"schema", "tilefit.doctor/1"}, {"gpu", text_or_null(d.gpu)}, {"arch", text_or_null(d.arch)}};
  out["inputs"] = inputs_json(d);
  out["findings"] = ordered_json::array();
  for (const Finding& f : d.findings) out["findings"].push_back(finding_json(f, d));
  out["chain"] = ordered_json::array();
  for (const ChainLink& l : d.chain)
    out["chain"].push_back({{"link", name(l.link)}, {"status", name(l.status)}, {"text", l.text}});
  // Bytes of a log need not be UTF-8.
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tilefit
