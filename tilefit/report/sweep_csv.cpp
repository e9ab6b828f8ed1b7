// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "tilefit/report/sweep_grid.h"
#include "tilefit/report/sweep_json.h"

namespace tilefit {
namespace {

std::string known(bool is_known, Bytes value) { return is_known ? fmt::format("{}", value) : ""; }

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

/// sm_100 tells its epilogue schedule in this column, the others their mainloop's.
std::string_view schedule_column(const SweepRow& r) {
  if (r.kernel_arch->cc / 10 == 10) return name(r.tile.epilogue_schedule);
  return name(r.tile.schedule);
}

}  // namespace

std::string sweep_csv(const Sweep& s) {
  std::string text =
      "arch,cutlass,kernel,dtypes,tile_m,tile_n,tile_k,cluster,schedule,epilogue,swap_ab,stage_"
      "request,out,"
      "gemm1,gemm2,outcome,builds,stages,total,over,in_flight,blocks_per_sm,notes,reason\n";
  const auto out = std::back_inserter(text);
  for (const SweepRow& r : s.rows) {
    const Tile& t = r.tile;
    const bool bytes = r.total > 0;
    fmt::format_to(out, "{},{},{},{},{},{},{},{}x{}x{}{},{},{},{},{},{},", r.kernel_arch->name,
                   name(s.request.builder), name(t.kernel), name(t.operands), t.m, t.n, t.k,
                   t.cluster.m, t.cluster.n, t.cluster.k, t.cluster.dynamic ? "dyn" : "",
                   schedule_column(r), name(t.epilogue), t.swap_ab ? 1 : 0,
                   t.stages > 0 ? fmt::format("{}", t.stages) : "auto", name(t.out));
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{}\n", known(r.tactic[0] >= 0, r.tactic[0]),
                   known(r.tactic[1] >= 0, r.tactic[1]), name(r.outcome), name(r.builds),
                   known(bytes || r.outcome == Outcome::too_few_stages, r.stages),
                   known(bytes, r.total), known(bytes, r.over), known(bytes, r.in_flight),
                   known(r.blocks_per_sm > 0, r.blocks_per_sm), quoted(kernel_notes(r)),
                   quoted(r.reason));
  }
  return text;
}

}  // namespace tilefit
