// SPDX-License-Identifier: Apache-2.0
// Lines of CSV files: fields and quotes, headers, rows, and what is said of bad ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tilefit/plan/csv_rows.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string_view> fields;
  std::vector<std::string> scratch;
  const auto error = split_csv(line, fields, scratch);
  EXPECT_FALSE(error) << error->what;
  return {fields.begin(), fields.end()};
}

std::string split_error(std::string_view line) {
  std::vector<std::string_view> fields;
  std::vector<std::string> scratch;
  const auto error = split_csv(line, fields, scratch);
  EXPECT_TRUE(error) << line;
  return error ? error->what : "";
}

TEST(SplitCsv, Fields) {
  EXPECT_THAT(split(""), ElementsAre(""));
  EXPECT_THAT(split("a"), ElementsAre("a"));
  EXPECT_THAT(split("a,b,,c,"), ElementsAre("a", "b", "", "c", ""));
  EXPECT_THAT(split(","), ElementsAre("", ""));
  EXPECT_THAT(split(" a , b"), ElementsAre(" a ", " b"));
}

TEST(SplitCsv, Quotes) {
  EXPECT_THAT(split(R"("a")"), ElementsAre("a"));
  EXPECT_THAT(split(R"("a,b",c)"), ElementsAre("a,b", "c"));
  EXPECT_THAT(split(R"("rtx ""pro"" 6000",,"")"), ElementsAre("rtx \"pro\" 6000", "", ""));
  EXPECT_THAT(split(R"("""")"), ElementsAre("\""));
  EXPECT_THAT(split(R"(a"b,c)"),
              ElementsAre("a\"b", "c"));  // inside a bare field a quote is a letter
  EXPECT_THAT(split("\"a\",\"b\",\"c\",\"d\",\"e\",\"f\""),
              ElementsAre("a", "b", "c", "d", "e", "f"));
}

TEST(SplitCsv, Errors) {
  EXPECT_THAT(split_error(R"("a)"), HasSubstr("quote is not closed"));
  EXPECT_THAT(split_error(R"(")"), HasSubstr("quote is not closed"));
  EXPECT_THAT(split_error(R"("a"")"), HasSubstr("quote is not closed"));
  EXPECT_THAT(split_error(R"("a"b,c)"), HasSubstr("text after a closing quote"));
  EXPECT_THAT(split_error(std::string_view("a\0b,c", 5)), HasSubstr("NUL byte"));
}

/// Columns of a header over these defaults, or the error.
Result<CsvRows> header(std::string_view line, const RequestDraft& defaults = {}) {
  return CsvRows::from_header(line, defaults);
}

CsvRows rows_of(std::string_view line) {
  Result<CsvRows> rows = header(line);
  EXPECT_TRUE(rows) << rows.error().what;
  return *std::move(rows);
}

std::string header_error(std::string_view line) {
  const Result<CsvRows> rows = header(line);
  EXPECT_FALSE(rows) << line;
  return rows ? "" : rows.error().what;
}

TEST(CsvHeader, AnyOrderOthersIgnored) {
  CsvRows rows = rows_of("total,tile_k,epilogue,nonsense,tile_n,arch,tile_m,nonsense");
  const auto r = rows.request("7,128,FINALIZE,x,256,sm120,128,y");
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ(plan_tile(*r).smem.total, 102400);
}

TEST(CsvHeader, ByteOrderMarkSpacesAndQuotes) {
  CsvRows rows = rows_of(
      "\xEF\xBB\xBF"
      R"(arch, tile_m ,"tile_n",tile_k)");
  const auto r = rows.request(R"( sm_120 ,128," 256 ",128)");
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ(r->tile.n, 256);
}

TEST(CsvHeader, Errors) {
  EXPECT_EQ(header_error("arch,tile_m,tile_n"), "missing columns: tile_k");
  EXPECT_EQ(header_error("a,b"), "missing columns: tile_m, tile_n, tile_k, arch");
  EXPECT_EQ(header_error(""), "missing columns: tile_m, tile_n, tile_k, arch");
  EXPECT_EQ(header_error("arch,tile_m,tile_n,tile_k,tile_m"), "column 'tile_m' stands twice");
  EXPECT_THAT(header_error("arch,tile_m,\"tile_n"), HasSubstr("quote is not closed"));
  EXPECT_THAT(header_error(std::string_view("arch,\0", 6)), HasSubstr("NUL byte"));
  EXPECT_THAT(header_error("\xFF\xFE"
                           "arch"),
              HasSubstr("missing columns"));
}

TEST(CsvHeader, DefaultsStandInForColumns) {
  RequestDraft defaults;
  defaults.request.arch = find_arch(120);
  defaults.request.tile = {.m = 128, .n = 256, .k = 128};
  defaults.m_given = defaults.n_given = defaults.k_given = true;
  Result<CsvRows> rows = header("epilogue,tile_n", defaults);
  ASSERT_TRUE(rows) << rows.error().what;
  const auto r = rows->request("FINALIZE,128");
  ASSERT_TRUE(r);
  EXPECT_EQ(plan_tile(*r).smem.total, 93184);
  const auto empty = rows->request("FINALIZE,");
  ASSERT_TRUE(empty);
  EXPECT_EQ(plan_tile(*empty).smem.total, 102400);
}

struct BadRow {
  std::string_view line, what, where;
};

TEST(CsvRows, BadRowsSayWhatAndInWhichColumn) {
  CsvRows rows = rows_of("arch,dtypes,sf_vec,tile_m,tile_n,tile_k,swap_ab");
  static constexpr BadRow kBad[]{
      {"sm_120,nvfp4,16,128,256", "5 fields where the header has 7", ""},
      {"sm_120,nvfp4,16,128,256,128,0,0", "8 fields where the header has 7", ""},
      {"", "1 fields where the header has 7", ""},
      {"sm_99,nvfp4,16,128,256,128,0", "unknown architecture 'sm_99'", "arch"},
      {"sm_120,nvfp5,16,128,256,128,0", "unknown dtype 'nvfp5'", "dtypes"},
      {"sm_120,nvfp4,32,128,256,128,0", "nvfp4 shares a scale over 16 elements, not 32", "sf_vec"},
      {"sm_120,nvfp4,16,0,256,128,0", "tile M '0' is no positive whole number", "tile_m"},
      {"sm_120,nvfp4,16,128,-1,128,0", "tile N '-1' is no positive whole number", "tile_n"},
      {"sm_120,nvfp4,16,128,256,1e9,0", "tile K '1e9' is no positive whole number", "tile_k"},
      {"sm_120,nvfp4,16,,256,128,0", "no tile named", "tile_m, tile_n, tile_k"},
      {",nvfp4,16,128,256,128,0", "no GPU named", "arch"},
      {"sm_120,nvfp4,16,128,256,128,2", "unknown value of swap-AB '2'", "swap_ab"},
      {"sm_120,\"nvfp4,16,128,256,128,0", "a quote is not closed on its line", ""},
  };
  for (const BadRow& bad : kBad) {
    const auto r = rows.request(bad.line);
    ASSERT_FALSE(r) << bad.line;
    EXPECT_EQ(r.error().what, bad.what);
    EXPECT_EQ(r.error().where, bad.where) << bad.line;
    EXPECT_FALSE(r.error().fix.empty()) << bad.line;
  }
}

/// One row leaves nothing behind for the next, good or bad, whatever GPU either names.
TEST(CsvRows, RowsAreIndependent) {
  CsvRows rows = rows_of("arch,dtypes,tile_m,tile_n,tile_k,epilogue,stage_request");
  const auto total = [&](std::string_view line) {
    const auto r = rows.request(line);
    return r ? plan_tile(*r).smem.total : -1;
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(total("sm_120,,128,256,128,FINALIZE,2"), 74752);
    EXPECT_EQ(total("sm_120,,128,256,128,FINALIZE,"), 102400);
    EXPECT_EQ(total("sm120dense,nvfp4,128,128,128,FINALIZE,"), 0);
    EXPECT_EQ(total("sm_120,,128,256,128,,"), 98304);
    EXPECT_EQ(total("sm_12,,128,256,128,,"), -1);
    EXPECT_EQ(total("sm_120,,128,256,128,,"), 98304);
    EXPECT_EQ(total("sm90mixed,bf16xmxfp4,256,128,256,,"), 235520);
    EXPECT_EQ(total("sm_120,,128,256,128,bad,"), -1);
    EXPECT_EQ(total("sm_120,,128,256,128,,"), 98304);
  }
}

TEST(CsvRows, MovedRowsKeepTheirColumns) {
  CsvRows first = rows_of("arch,tile_m,tile_n,tile_k");
  ASSERT_TRUE(first.request("sm_120,128,256,128"));
  CsvRows rows = std::move(first);
  const auto r = rows.request("sm_120,128,128,128");
  ASSERT_TRUE(r);
  EXPECT_EQ(plan_tile(*r).smem.total, 89088);
}

}  // namespace
}  // namespace tilefit
