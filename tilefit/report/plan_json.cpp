// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/plan_json.h"

#include <fmt/compile.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tilefit/model/gpu.h"

namespace tilefit {
namespace {

template <class Format, class... T>
void put(fmt::memory_buffer& out, const Format& format, const T&... values) {
  fmt::format_to(std::back_inserter(out), format, values...);
}

void text(fmt::memory_buffer& out, std::string_view s) {
  out.append(s.data(), s.data() + s.size());
}

void tile_json(fmt::memory_buffer& out, const Tile& t) {
  put(out,
      FMT_COMPILE(
          R"("tile":{{"m":{},"n":{},"k":{},"dtype":"{}","kernel":"{}","mainloop":"{}","cluster":"{}x{}x{}","cluster_mode":"{}",)"),
      t.m, t.n, t.k, name(t.operands), name(t.kernel), name(t.mainloop), t.cluster.m, t.cluster.n,
      t.cluster.k, t.cluster.dynamic ? "dynamic" : "static");
  put(out,
      FMT_COMPILE(
          R"("schedule":"{}","epilogue_schedule":"{}","epilogue":"{}","scale_apply":"{}","swap_ab":{},"d_layout":"{}",)"),
      name(t.schedule), name(t.epilogue_schedule), name(t.epilogue), name(t.scale_apply), t.swap_ab,
      name(t.d_layout));
  if (t.stages > 0)
    put(out, FMT_COMPILE(R"("stages":{},)"), t.stages);
  else
    text(out, R"("stages":"auto",)");
  if (!t.epilogue_tile.automatic())
    put(out, FMT_COMPILE(R"("epilogue_tile":"{}x{}",)"), t.epilogue_tile.m, t.epilogue_tile.n);
  else
    text(out, R"("epilogue_tile":"auto",)");
  if (t.operands == Operands::fp8blockwise)
    put(out, FMT_COMPILE(R"("scale_granularity":"{}x{}","scale_major":"{}",)"),
        t.scale_granularity.m, t.scale_granularity.n, name(t.scale_major));
  put(out, FMT_COMPILE(R"("out":"{}","c_type":"{}","d_type":"{}"}})"), name(t.out), name(t.c),
      name(t.d));
}

void numbers_json(fmt::memory_buffer& out, const TilePlan& p) {
  if (p.stages != 0 || p.outcome == Outcome::too_few_stages)
    put(out, FMT_COMPILE(R"(,"stages":{},"stages_auto":{})"), p.stages, p.stages_auto);
  else
    text(out, R"(,"stages":null,"stages_auto":null)");
  if (p.has_bytes())
    put(out, FMT_COMPILE(R"(,"total_bytes":{},"over_bytes":{})"), p.smem.total, p.over());
  else
    text(out, R"(,"total_bytes":null,"over_bytes":null)");
}

void regions_json(fmt::memory_buffer& out, const SmemPlan& smem) {
  text(out, R"(,"regions":[)");
  bool first = true;
  for (const Region& r : smem) {
    if (!first) out.push_back(',');
    first = false;
    put(out, FMT_COMPILE(R"({{"name":"{}","offset":{},"bytes":{},"align":{}}})"), name(r.part),
        r.offset, r.bytes, r.align);
  }
  out.push_back(']');
}

void fixes_json(fmt::memory_buffer& out, const std::vector<Fix>& fixes) {
  text(out, R"(,"fixes":[)");
  bool first = true;
  for (const Fix& f : fixes) {
    if (!first) out.push_back(',');
    first = false;
    put(out,
        FMT_COMPILE(
            R"({{"change":"{}","flags":"{}","source_change":"{}","total_bytes":{},"stages":{},"outcome":"{}","builds":"{}"}})"),
        f.change, f.flags, f.source_change, f.plan.smem.total, f.plan.stages, name(f.plan.outcome),
        name(f.plan.builds));
  }
  out.push_back(']');
}

void ledger_json(fmt::memory_buffer& out, const Ledger& l) {
  put(out,
      FMT_COMPILE(
          R"(,"builder_sum":{{"capacity":{},"reserved":{},"carveout":{},"stage":{},"quotient":{},"stages":{},"lines":[)"),
      l.capacity, l.reserved, l.carveout, l.stage, l.quotient, l.stages);
  bool first = true;
  for (const LedgerLine& line : l.lines) {
    if (!first) out.push_back(',');
    first = false;
    put(out, FMT_COMPILE(R"({{"what":"{}","counted":{},"real":{}}})"), line.what, line.believed,
        line.real);
  }
  text(out, "]}");
}

}  // namespace

void json_string(fmt::memory_buffer& out, std::string_view s) {
  if (s.empty()) return text(out, "\"\"");  // a view of nothing has no address to copy from
  const bool plain = std::all_of(
      s.begin(), s.end(), [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (plain) {
    put(out, FMT_COMPILE("\"{}\""), s);
    return;
  }
  text(
      out,
      nlohmann::json(std::string(s)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

void plan_json(fmt::memory_buffer& out, const TileReport& report,
               const std::vector<Component>* components) {
  const TilePlan& p = report.plan;
  const TileRequest& r = p.request;
  text(out, R"({"schema":"tilefit.plan/1","gpu":)");
  if (r.gpu != nullptr)
    json_string(out, r.gpu->name);
  else
    text(out, "null");
  put(out,
      FMT_COMPILE(
          R"(,"arch":"{}","limit_bytes":{},"static_bytes":{},"family":"{}","builder":"{}",)"),
      r.arch->name, p.limit, r.static_bytes, name(r.family), release(r.family, r.builder));
  tile_json(out, r.tile);
  numbers_json(out, p);
  put(out, FMT_COMPILE(R"(,"outcome":"{}","reason":)"), name(p.outcome));
  json_string(out, report.sentence);
  put(out, FMT_COMPILE(R"(,"builds":"{}","builds_from":)"), name(p.builds));
  json_string(out, p.source);
  if (p.blocks_per_sm > 0)
    put(out, FMT_COMPILE(R"(,"blocks_per_sm":{},"blocks_per_sm_rule":"{}")"), p.blocks_per_sm,
        r.arch->granularity_measured() ? "measured" : "documented");
  else
    text(out, R"(,"blocks_per_sm":null)");
  regions_json(out, p.smem);
  if (report.marked) put(out, FMT_COMPILE(R"(,"culprit":"{}")"), name(report.culprit));
  fixes_json(out, report.fixes);
  if (report.ledger.capacity > 0) ledger_json(out, report.ledger);
  if (components != nullptr) {
    text(out, R"(,"components":{)");
    bool first = true;
    for (const Component& c : *components) {
      put(out, FMT_COMPILE("{}\"{}\":{}"), first ? "" : ",", c.name, c.value);
      first = false;
    }
    out.push_back('}');
  }
  put(out, FMT_COMPILE(R"(,"provenance":"{}"}})"),
      p.outcome == Outcome::unknown ? "unknown" : "exact");
}

void row_error_json(fmt::memory_buffer& out, long row, const Error& error) {
  put(out, FMT_COMPILE(R"({{"row":{},"error":)"), row);
  std::string what = error.what;
  if (!error.where.empty()) what += " (" + error.where + ")";
  if (!error.fix.empty()) what += "; " + error.fix;
  json_string(out, what);
  out.push_back('}');
}

}  // namespace tilefit
