// SPDX-License-Identifier: Apache-2.0
// The ground truth as rows of text: tests/data/cutlass_truth.csv.gz, sizeof and offsetof of the
// launcher's own types, compiled.
#pragma once

#include <zlib.h>

#include <array>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tilefit::truth {

using Row = std::map<std::string, std::string>;

/// The columns that say what was compiled; the others say what came of it.
inline constexpr std::array<std::string_view, 16> kInputs{
    "arch",    "cutlass",       "kernel",           "dtypes",   "sf_vec",   "tile_m",
    "tile_n",  "tile_k",        "cluster",          "schedule", "epilogue", "swap_ab",
    "variant", "stage_request", "epi_tile_request", "out"};

inline std::string read_gzip(const std::string& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

/// Fields hold no commas but in quotes.
inline std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

inline const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::istringstream text(read_gzip(TILEFIT_TESTS_DIR "/data/cutlass_truth.csv.gz"));
    std::vector<Row> out;
    std::string line;
    std::getline(text, line);
    const std::vector<std::string> names = fields(line);
    while (std::getline(text, line)) {
      const std::vector<std::string> values = fields(line);
      Row row;
      for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) row[names[i]] = values[i];
      out.push_back(std::move(row));
    }
    return out;
  }();
  return all;
}

inline std::string describe(const Row& row) {
  std::string out;
  for (const std::string_view name : kInputs)
    out += std::string(name) + "=" + row.at(std::string(name)) + " ";
  return out;
}

/// The outcome in the words of the planner.
inline std::string outcome(const Row& row) {
  static const std::map<std::string, std::string> kNames{{"OK", "fits"},
                                                         {"OVER_SMEM", "over_limit"},
                                                         {"STAGES_LT_2", "too_few_stages"},
                                                         {"COMPILE_ERROR", "rejected"}};
  return kNames.at(row.at("outcome"));
}

}  // namespace tilefit::truth
