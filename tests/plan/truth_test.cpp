// SPDX-License-Identifier: Apache-2.0
// Every row of the ground truth (sizeof and offsetof of the launcher's own types, compiled):
// outcome, stages, total and every component. The inputs go through the parser that the command
// line uses, first as a row's columns, then as the flags that say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tilefit/plan/plan.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {
namespace {

using Row = std::map<std::string, std::string>;

std::string read_gzip(const std::string& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

/// Fields hold no commas but in quotes.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

const std::vector<Row>& truth() {
  static const std::vector<Row> rows = [] {
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
  return rows;
}

const std::vector<std::string> kInputs{"arch", "cutlass", "kernel", "dtypes", "sf_vec", "tile_m", "tile_n", "tile_k", "cluster",
                                       "schedule", "epilogue", "swap_ab", "variant", "stage_request", "epi_tile_request", "out"};

std::string describe(const Row& row) {
  std::string out;
  for (const std::string& name : kInputs) out += name + "=" + row.at(name) + " ";
  return out;
}

TileRequest from_columns(const Row& row) {
  RequestDraft draft;
  for (const std::string& name : kInputs) {
    const std::string& value = row.at(name);
    if (value.empty()) continue;
    const RequestField* field = find_column(name);
    EXPECT_NE(field, nullptr) << name;
    if (const auto error = field->set(draft, value)) ADD_FAILURE() << name << ": " << error->what;
  }
  const Result<TileRequest> request = finish(draft);
  EXPECT_TRUE(request) << describe(row) << request.error().what;
  return request ? *request : TileRequest{};
}

std::string expected_outcome(const Row& row) {
  static const std::map<std::string, std::string> kNames{
      {"OK", "fits"}, {"OVER_SMEM", "over_limit"}, {"STAGES_LT_2", "too_few_stages"}, {"COMPILE_ERROR", "rejected"}};
  return kNames.at(row.at("outcome"));
}

TEST(Truth, HoldsEveryRow) { EXPECT_EQ(truth().size(), 1386u); }

TEST(Truth, OutcomeStagesAndTotalOfEveryRow) {
  for (const Row& row : truth()) {
    const TilePlan plan = plan_tile(from_columns(row));
    EXPECT_EQ(name(plan.outcome), expected_outcome(row)) << describe(row) << plan.reason;
    if (row.at("outcome") == "COMPILE_ERROR") continue;
    EXPECT_EQ(std::to_string(plan.stages), row.at("stages")) << describe(row);
    EXPECT_EQ(std::to_string(plan.limit), row.at("limit")) << describe(row);
    if (row.at("outcome") == "STAGES_LT_2") {
      EXPECT_FALSE(plan.has_bytes()) << describe(row);
    } else {
      EXPECT_EQ(std::to_string(plan.smem.total), row.at("total")) << describe(row);
      EXPECT_EQ(std::to_string(plan.over()), row.at("over_by")) << describe(row);
    }
  }
}

TEST(Truth, EveryComponentThatTheFileGives) {
  const std::vector<std::string> not_components{"flashinfer", "limit", "over_by", "outcome", "assert"};
  for (const Row& row : truth()) {
    if (row.at("outcome") == "COMPILE_ERROR") continue;
    std::map<std::string, std::string> got;
    for (const Component& c : components(from_columns(row))) got[std::string(c.name)] = std::to_string(c.value);
    for (const auto& [name, value] : row) {
      if (value.empty() || testing::Value(name, testing::AnyOfArray(kInputs)) || testing::Value(name, testing::AnyOfArray(not_components))) continue;
      EXPECT_EQ(got.contains(name) ? got.at(name) : "absent", value) << name << " of " << describe(row);
    }
    for (const auto& [name, value] : got)
      EXPECT_TRUE(row.contains(name) && !row.at(name).empty()) << name << "=" << value << " is not in " << describe(row);
  }
}

}  // namespace
}  // namespace tilefit
