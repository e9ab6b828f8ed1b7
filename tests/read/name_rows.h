// SPDX-License-Identifier: Apache-2.0
// Names of kernels that shipped, with what is known of them:
// tests/data/{name_smem,host_smem}.csv.gz (sizeof(SharedStorage) of the type that a symbol names,
// by compiler; bytes in host code) and demangled_names.tsv.gz (symbols of GPU libraries and of what
// they link to, as c++filt prints them).
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/plan/truth_rows.h"

namespace tilefit::names {

using Row = std::map<std::string, std::string>;

inline std::vector<Row> read_rows(const std::string& file) {
  std::istringstream text(truth::read_gzip(TILEFIT_TESTS_DIR "/data/" + file));
  std::vector<Row> out;
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> columns = truth::fields(line);
  while (std::getline(text, line)) {
    const std::vector<std::string> values = truth::fields(line);
    Row row;
    for (std::size_t i = 0; i < columns.size() && i < values.size(); ++i)
      row[columns[i]] = values[i];
    out.push_back(std::move(row));
  }
  return out;
}

inline const std::vector<Row>& sized() {
  static const std::vector<Row> all = read_rows("name_smem.csv.gz");
  return all;
}

inline const std::vector<Row>& in_host_code() {
  static const std::vector<Row> all = read_rows("host_smem.csv.gz");
  return all;
}

/// {mangled, demangled}
inline const std::vector<std::pair<std::string, std::string>>& demangled() {
  static const auto all = [] {
    std::istringstream text(truth::read_gzip(TILEFIT_TESTS_DIR "/data/demangled_names.tsv.gz"));
    std::vector<std::pair<std::string, std::string>> out;
    std::string line;
    while (std::getline(text, line)) {
      const std::size_t tab = line.find('\t');
      if (tab != std::string::npos) out.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
    return out;
  }();
  return all;
}

}  // namespace tilefit::names
