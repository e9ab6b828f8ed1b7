// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/scan_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tilefit/report/safe_text.h"
#include "tilefit/report/scan_rows.h"

namespace tilefit {
namespace {

template <class T>
std::string or_empty(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string dim(const Dim3& d) {
  return d[0] == 0 ? std::string() : fmt::format("{}x{}x{}", d[0], d[1], d[2]);
}

std::string row_text(const ScanReport& report, const ScanRow& row) {
  const KernelFacts& kernel = row.kernel->facts;
  const ImageFacts& facts = row.facts();
  std::string text = fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
      csv_field(report.files[static_cast<std::size_t>(kernel.file)].path), csv_field(kernel.symbol),
      csv_field(kernel.short_name), fmt::join(targets_of(row), " "), name(facts.code),
      name(facts.body), or_empty(facts.registers), facts.stack, facts.local,
      or_empty(facts.constant0), facts.text_bytes, dim(facts.max_threads), dim(facts.cluster),
      facts.static_smem, fmt::join(kernel.dynamic.bytes, "|"), name(kernel.dynamic.provenance),
      name(kernel.dynamic.from));
  for (std::size_t g = 0; g < report.gpus.size(); ++g) {
    text += ',';
    for (const KernelVerdict* v : row.verdicts)
      if (static_cast<std::size_t>(v->gpu) == g) text += name(v->outcome);
  }
  return text + "\n";
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string safe = safe_text(text);
  if (safe.find_first_of(",\"") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void scan_csv(const ScanReport& report, bool all, const Write& write) {
  std::string heading =
      "file,symbol,short,targets,code,body,registers,stack,local,constant0,text_bytes,max_threads,"
      "cluster,static_smem,dynamic_smem,provenance,from";
  for (const ScanGpu& gpu : report.gpus) heading += "," + csv_field(gpu.name);
  write(heading + "\n");
  for (const ScannedKernel& kernel : report.kernels)
    for (const ScanRow& row : rows_of(kernel))
      if (all || row.is_finding()) write(row_text(report, row));
}

}  // namespace tilefit
