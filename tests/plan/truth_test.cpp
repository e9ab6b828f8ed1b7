// SPDX-License-Identifier: Apache-2.0
// Every row of the ground truth: outcome, stages, total, every component, and every component as a
// region at the same place. The inputs go through the parser that CSV files use; the same rows as
// flags are in tests/cli/plan_flags_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/plan/truth_rows.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {
namespace {

using truth::describe;
using truth::Row;

TileRequest from_columns(const Row& row) {
  RequestDraft draft;
  for (const std::string_view name : truth::kInputs) {
    const std::string& value = row.at(std::string(name));
    if (value.empty()) continue;
    const RequestField* field = find_column(name);
    EXPECT_NE(field, nullptr) << name;
    if (const auto error = field->set(draft, value)) ADD_FAILURE() << name << ": " << error->what;
  }
  const Result<TileRequest> request = finish(draft);
  EXPECT_TRUE(request) << describe(row) << request.error().what;
  return request ? *request : TileRequest{};
}

TEST(Truth, HoldsEveryRow) { EXPECT_EQ(truth::rows().size(), 1386u); }

TEST(Truth, OutcomeStagesAndTotalOfEveryRow) {
  for (const Row& row : truth::rows()) {
    const TilePlan plan = plan_tile(from_columns(row));
    EXPECT_EQ(name(plan.outcome), truth::outcome(row)) << describe(row) << plan.reason;
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
  const std::vector<std::string> not_components{"flashinfer", "limit", "over_by", "outcome",
                                                "assert"};
  for (const Row& row : truth::rows()) {
    if (row.at("outcome") == "COMPILE_ERROR") continue;
    std::map<std::string, std::string> got;
    for (const Component& c : components(from_columns(row)))
      got[std::string(c.name)] = std::to_string(c.value);
    for (const auto& [name, value] : row) {
      if (value.empty() || testing::Value(name, testing::AnyOfArray(truth::kInputs)) ||
          testing::Value(name, testing::AnyOfArray(not_components)))
        continue;
      EXPECT_EQ(got.contains(name) ? got.at(name) : "absent", value)
          << name << " of " << describe(row);
    }
    for (const auto& [name, value] : got)
      EXPECT_TRUE(row.contains(name) && !row.at(name).empty())
          << name << "=" << value << " is not in " << describe(row);
  }
}

/// A column of the truth, what its offset counts from, and the region that holds it.
struct PlacedColumn {
  std::string_view column, base, region;
};

constexpr PlacedColumn kPlaced[]{
    {"m_smem_A", "k_t_main_off", "mainloop.a"},
    {"m_smem_B", "k_t_main_off", "mainloop.b"},
    {"m_smem_SFA", "k_t_main_off", "mainloop.sfa"},
    {"m_smem_SFB", "k_t_main_off", "mainloop.sfb"},
    {"m_smem_scale_A", "k_t_main_off", "mainloop.scale_a"},
    {"m_smem_scale_B", "k_t_main_off", "mainloop.scale_b"},
    {"m_smem_scale", "k_t_main_off", "mainloop.scale"},
    {"m_smem_zero", "k_t_main_off", "mainloop.zero"},
    {"smem_C", "k_t_epi_off", "epilogue.c"},
    {"smem_D", "k_t_epi_off", "epilogue.d"},
    {"epi_thread", "k_t_epi_off", "epilogue.thread"},
    {"k_p_sched", "", "pipeline.scheduler"},
    {"k_p_main", "", "pipeline.mainloop"},
    {"k_p_epi_load", "", "pipeline.epilogue_load"},
    {"k_p_load_order", "", "pipeline.load_order"},
    {"k_p_math_order", "", "pipeline.math_order"},
    {"k_p_acc", "", "pipeline.accumulator"},
    {"k_p_clc", "", "pipeline.clc"},
    {"k_p_clc_throttle", "", "pipeline.clc_throttle"},
    {"k_p_tmem_dealloc", "", "pipeline.tmem_dealloc"},
    {"k_sched_resp", "", "scheduler.response"},
    {"k_sched", "", "scheduler.storage"},
    {"k_clc_resp", "", "clc.response"},
    {"k_tmem_base_ptr", "", "tmem_ptr"},
    {"k_tm_main", "", "tensormap.mainloop"},
    {"k_tm_epi", "", "tensormap.epilogue"},
};

Bytes number(const Row& row, std::string_view column) {
  const std::string& text = row.at(std::string(column));
  return text.empty() ? -1 : std::stoll(text);
}

struct Placed {
  std::string name;
  Bytes offset = 0, bytes = 0;
  auto operator<=>(const Placed&) const = default;
};

void PrintTo(const Placed& p, std::ostream* out) {
  *out << p.name << " [" << p.offset << ", +" << p.bytes << ")";
}

/// Where the truth's row says every region with more than an empty type lies.
std::set<Placed> placed_in(const Row& row) {
  std::set<Placed> out;
  for (const PlacedColumn& c : kPlaced) {
    const Bytes bytes = number(row, c.column);
    if (bytes <= 1) continue;
    const Bytes base = c.base.empty() ? 0 : number(row, c.base);
    out.insert({std::string(c.region), base + number(row, std::string(c.column) + "_off"), bytes});
  }
  // C and D at one place are one union.
  const auto find = [&](std::string_view name) {
    return std::find_if(out.begin(), out.end(), [&](const Placed& p) { return p.name == name; });
  };
  const auto c = find("epilogue.c"), d = find("epilogue.d");
  if (c != out.end() && d != out.end() && c->offset == d->offset) {
    const Placed both{"epilogue.cd", c->offset, std::max(c->bytes, d->bytes)};
    out.erase(c);
    out.erase(find("epilogue.d"));
    out.insert(both);
  }
  // sm_100 keeps five sets of tensor maps in one array whose parts have no columns.
  if (row.at("arch") == "sm100")
    out.insert({"tensormap.all", number(row, "k_tm_off"), number(row, "k_tm")});
  return out;
}

TEST(Truth, RegionsLieWhereTheCompilerPutThem) {
  int checked = 0;
  for (const Row& row : truth::rows()) {
    if (row.at("total").empty() || row.at("outcome") == "STAGES_LT_2") continue;
    const TilePlan plan = plan_tile(from_columns(row));
    std::set<Placed> got;
    for (const Region& r : plan.smem)  // pads have no column, nor has this sm_100 pipeline
      if (r.part != Part::pad && r.part != Part::pipeline_tensormap_ready)
        got.insert({std::string(name(r.part)), r.offset, r.bytes});
    EXPECT_EQ(got, placed_in(row)) << describe(row);
    ++checked;
  }
  EXPECT_EQ(checked, 1202);
}

}  // namespace
}  // namespace tilefit
