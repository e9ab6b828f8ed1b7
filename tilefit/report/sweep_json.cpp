// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/sweep_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tilefit/model/gpu.h"
#include "tilefit/report/sweep_grid.h"

namespace tilefit {
namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const SweepCounts& c) {
  ordered_json out{{"all", c.all()}, {"run", c.of(Outcome::fits)}, {"does_not_compile", c.refused}};
  for (const Outcome o : {Outcome::over_limit, Outcome::too_few_stages, Outcome::not_built,
                          Outcome::rejected, Outcome::unknown})
    out[std::string(name(o))] = c.of(o);
  return out;
}

ordered_json number(bool known, Bytes value) {
  return known ? ordered_json(value) : ordered_json();
}

ordered_json row_json(const SweepRow& r) {
  const Tile& t = r.tile;
  ordered_json out{
      {"m", t.m}, {"n", t.n}, {"k", t.k}, {"epilogue", name(t.epilogue)}, {"swap_ab", t.swap_ab}};
  out["cluster"] = fmt::format("{}x{}x{}", t.cluster.m, t.cluster.n, t.cluster.k);
  out["cluster_mode"] = t.cluster.dynamic ? "dynamic" : "static";
  out["schedule"] = name(t.schedule);
  out["epilogue_schedule"] = name(t.epilogue_schedule);
  out["kernel_arch"] = r.kernel_arch->name;
  if (!r.variant.empty()) out["variant"] = r.variant;
  if (r.launch.dynamic)
    out["launch_cluster"] = fmt::format("{}x{}x{}", r.launch.m, r.launch.n, r.launch.k);
  out["outcome"] = name(r.outcome);
  out["builds"] = name(r.builds);
  if (!r.reason.empty()) out["reason"] = r.reason;
  out["stages"] = number(r.total > 0 || r.outcome == Outcome::too_few_stages, r.stages);
  out["total_bytes"] = number(r.total > 0, r.total);
  out["over_bytes"] = number(r.total > 0, r.over);
  out["in_flight_bytes"] = number(r.total > 0, r.in_flight);
  out["blocks_per_sm"] = number(r.blocks_per_sm > 0, r.blocks_per_sm);
  if (r.tactic[0] >= 0 || r.tactic[1] >= 0) {
    out["gemm1"] = number(r.tactic[0] >= 0, r.tactic[0]);
    out["gemm2"] = number(r.tactic[1] >= 0, r.tactic[1]);
  }
  return out;
}

}  // namespace

std::string sweep_json(const Sweep& s) {
  const TileRequest& q = s.request;
  ordered_json out{{"schema", "tilefit.sweep/1"}};
  out["gpu"] = q.gpu != nullptr ? ordered_json(q.gpu->name) : ordered_json();
  out["arch"] = q.arch->name;
  out["limit_bytes"] = s.limit;
  out["family"] = name(q.family);
  out["builder"] = release(q.family, q.builder);
  out["dtype"] = name(q.tile.operands);
  out["kernel"] = name(q.tile.kernel);
  out["list"] = s.list.empty() ? ordered_json() : ordered_json(s.list);
  if (!s.list.empty()) out["list_source"] = s.list_source;
  out["kernels"] = counts_json(s.kernels);
  if (!s.list.empty())
    out["tactics"] = {{"gemm1", counts_json(s.tactics[0])}, {"gemm2", counts_json(s.tactics[1])}};
  else
    out["left_out"] = s.left_out;
  ordered_json rows = ordered_json::array();
  for (const SweepRow& r : s.rows) rows.push_back(row_json(r));
  out["rows"] = std::move(rows);
  return out.dump() + "\n";
}

}  // namespace tilefit
