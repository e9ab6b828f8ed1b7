// SPDX-License-Identifier: Apache-2.0
// What has to hold of any request that the parsers let through, and of any error they give.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/tile_report.h"
#include "tilefit/report/plan_json.h"
#include "tilefit/report/plan_text.h"

namespace tilefit::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

inline void check_error(const Error& error) {
  for (const std::string_view text : {std::string_view(error.what), std::string_view(error.fix)})
    require(!text.empty() && text.size() < 1024 &&
            std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
}

inline void check_plan(const TilePlan& plan) {
  Bytes end = 0;
  for (const Region& r : plan.smem) {
    require(r.offset == end && r.bytes > 0 && r.offset % r.align == 0);
    end = r.end();
  }
  require(end == plan.smem.total && end >= 0);
  if (plan.has_bytes()) require((plan.outcome == Outcome::fits) == (plan.over() <= 0));
  if (!plan.has_bytes()) require(plan.outcome != Outcome::fits && !plan.reason.empty());
}

/// Plans, explains and prints `request`.
inline void check_request(const TileRequest& request) {
  const TileReport report = tile_report(request, true);
  check_plan(report.plan);
  require(!report.sentence.empty());
  for (const Fix& f : report.fixes) {
    check_plan(f.plan);
    require(f.plan.usable() && plan_tile(f.plan.request).smem.total == f.plan.smem.total);
  }
  Bytes real = 0;
  for (const LedgerLine& line : report.ledger.lines) real += line.real;
  require(real == report.plan.smem.total);
  const std::vector<Component> parts = components(request);
  fmt::memory_buffer json;
  plan_json(json, report, &parts);
  require(nlohmann::json::accept(json.begin(), json.end()));
  require(!plan_text(report, {.color = true, .unicode = true}).empty());
  require(plan_row(report.plan, {}).ends_with('\n'));
}

}  // namespace tilefit::fuzz
