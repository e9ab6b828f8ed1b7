// SPDX-License-Identifier: Apache-2.0
// Plans as JSON: the text parses, and its numbers are the plan's. The schema is checked over many
// tiles in tests/cli/schema_test.py.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tilefit/plan/plan.h"
#include "tilefit/plan/tile_report.h"
#include "tilefit/report/plan_json.h"

namespace tilefit {
namespace {

std::string string_text(std::string_view s) {
  fmt::memory_buffer out;
  json_string(out, s);
  return fmt::to_string(out);
}

TEST(JsonString, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(string_text(""), "\"\"");
  EXPECT_EQ(string_text("plain text, {braces}"), "\"plain text, {braces}\"");
  EXPECT_EQ(string_text("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(string_text("\n\t\x01"), R"("\n\t\u0001")");
  EXPECT_EQ(string_text("\x7f"), R"("\u007f")");
  EXPECT_EQ(string_text("é"), R"("\u00e9")");
  EXPECT_EQ(string_text("\xff!"), R"("\ufffd!")");
}

/// Any byte, alone and between others, gives text that parses.
TEST(JsonString, EveryByteParses) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string around = std::string("a") + static_cast<char>(byte) + "z";
    const nlohmann::json back = nlohmann::json::parse(string_text(around));
    if (byte < 0x80) {
      EXPECT_EQ(back.get<std::string>(), around);
    }
  }
}

TEST(RowErrorJson, OneObject) {
  fmt::memory_buffer out;
  row_error_json(out, 17, Error{"tile M '0' is no number", "tile_m", "write one"});
  EXPECT_EQ(fmt::to_string(out),
            R"({"row":17,"error":"tile M '0' is no number (tile_m); write one"})");
}

nlohmann::json json_of(const TileRequest& r, bool explain) {
  const TileReport report = tile_report(r, explain);
  const std::vector<Component> parts = components(r);
  fmt::memory_buffer out;
  plan_json(out, report, explain ? &parts : nullptr);
  const std::string text = fmt::to_string(out);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return nlohmann::json::parse(text);
}

TEST(PlanJson, TheCase) {
  const TileRequest r{.arch = find_arch(120),
                      .tile = {.m = 128, .n = 256, .k = 128, .epilogue = Epilogue::finalize}};
  const nlohmann::json j = json_of(r, true);
  EXPECT_EQ(j["schema"], "tilefit.plan/1");
  EXPECT_EQ(j["gpu"], nullptr);
  EXPECT_EQ(j["arch"], "sm_120");
  EXPECT_EQ(j["limit_bytes"], 101376);
  EXPECT_EQ(j["total_bytes"], 102400);
  EXPECT_EQ(j["over_bytes"], 1024);
  EXPECT_EQ(j["outcome"], "over_limit");
  EXPECT_EQ(j["stages"], 3);
  EXPECT_EQ(j["blocks_per_sm"], nullptr);
  EXPECT_EQ(j["culprit"], "epilogue.c");
  EXPECT_EQ(j["fixes"][0]["flags"], "--c-type void");
  EXPECT_EQ(j["fixes"][0]["total_bytes"], 94208);
  EXPECT_EQ(j["components"]["k_SharedStorageSize"], 102400);
  long end = 0, counted = 0, real = 0;
  for (const auto& region : j["regions"]) {
    EXPECT_EQ(region["offset"], end);
    end += region["bytes"].get<long>();
  }
  EXPECT_EQ(end, 102400);
  for (const auto& line : j["builder_sum"]["lines"]) {
    counted += line["counted"].get<long>();
    real += line["real"].get<long>();
  }
  EXPECT_EQ(counted, 101168);
  EXPECT_EQ(real, 102400);
}

TEST(PlanJson, WithoutBytes) {
  const TileRequest r{.arch = find_arch(80), .tile = {.m = 128, .n = 128, .k = 128}};
  const nlohmann::json j = json_of(r, false);
  EXPECT_EQ(j["outcome"], "not_built");
  for (const char* key : {"stages", "stages_auto", "total_bytes", "over_bytes", "blocks_per_sm"})
    EXPECT_EQ(j[key], nullptr) << key;
  EXPECT_TRUE(j["regions"].empty());
  EXPECT_TRUE(j["fixes"].empty());
  EXPECT_FALSE(j.contains("components"));
  EXPECT_FALSE(j.contains("builder_sum"));
}

}  // namespace
}  // namespace tilefit
