// SPDX-License-Identifier: Apache-2.0
// Every row of the ground truth as a command line: each column's value is typed as its flag's value
// and the command gives the row's answer.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/plan/truth_rows.h"
#include "tilefit/cli/args.h"
#include "tilefit/cli/commands.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {
namespace {

using truth::Row;

/// The flag that takes the value of `column`.
std::string flag_of(const std::string& column, const std::string& value) {
  if (column == "variant") return value.starts_with('D') ? "--d-layout" : "--scale-granularity";
  const RequestField* field = find_column(column);
  return field == nullptr ? "" : std::string(field->flag);
}

std::vector<std::string> flags_of(const Row& row) {
  std::vector<std::string> out{"--tile",
                               row.at("tile_m") + "x" + row.at("tile_n") + "x" + row.at("tile_k")};
  for (const std::string_view name : truth::kInputs) {
    const std::string column(name), value = row.at(column);
    if (column.starts_with("tile_") || value.empty()) continue;
    const std::string flag = flag_of(column, value);
    EXPECT_FALSE(flag.empty()) << column;
    if (column == "swap_ab") {
      out.push_back(flag + "=" + value);
    } else {
      out.push_back(flag);
      out.push_back(value);
    }
  }
  return out;
}

/// Parses and runs `tilefit plan ARGS --json` and gives the exit code; output goes to stdout.
int run_plan(std::vector<std::string> args) {
  CLI::App app;
  const Run run = setup_plan(app);
  args.push_back("--json");
  std::reverse(args.begin(), args.end());  // as CLI11 wants them
  app.parse(args);
  const Result<int> code = run();
  EXPECT_TRUE(code) << code.error().what;
  return code ? *code : kExitError;
}

std::string text_of(const nlohmann::json& number) { return number.is_null() ? "" : number.dump(); }

void expect_answer(const Row& row, const nlohmann::json& got, int code) {
  SCOPED_TRACE(truth::describe(row));
  EXPECT_EQ(got.at("outcome"), truth::outcome(row));
  EXPECT_EQ(code, got.at("outcome") == "fits" && got.at("builds") != "refused" ? kExitClean
                                                                               : kExitFindings);
  if (row.at("outcome") == "COMPILE_ERROR") return;
  EXPECT_EQ(text_of(got.at("stages")), row.at("stages"));
  EXPECT_EQ(text_of(got.at("limit_bytes")), row.at("limit"));
  const bool sized = row.at("outcome") != "STAGES_LT_2";
  EXPECT_EQ(text_of(got.at("total_bytes")), sized ? row.at("total") : "");
  EXPECT_EQ(text_of(got.at("over_bytes")), sized ? row.at("over_by") : "");
}

TEST(PlanFlags, AnswerEveryRowOfTheTruth) {
  std::vector<int> codes;
  testing::internal::CaptureStdout();
  for (const Row& row : truth::rows()) codes.push_back(run_plan(flags_of(row)));
  std::istringstream lines(testing::internal::GetCapturedStdout());
  ASSERT_EQ(codes.size(), 1386u);
  std::string line;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line)) << "output ends at row " << i;
    expect_answer(truth::rows()[i], nlohmann::json::parse(line), codes[i]);
  }
  EXPECT_FALSE(std::getline(lines, line));
}

}  // namespace
}  // namespace tilefit
