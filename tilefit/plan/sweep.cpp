// SPDX-License-Identifier: Apache-2.0
#include "tilefit/plan/sweep.h"

#include <algorithm>
#include <tuple>

#include "tilefit/plan/cutlass_kinds.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/tactics.h"

namespace tilefit {

const std::vector<int> kSweepM{64, 128, 192, 256};
const std::vector<int> kSweepN{8, 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256};
const std::vector<int> kSweepK{32, 64, 128, 256, 512};

namespace {

Bytes bytes_in_flight(const SmemPlan& smem) {
  Bytes sum = 0;
  for (const Region& r : smem)
    if (r.part <= Part::mainloop_zero) sum += r.bytes;
  return sum;
}
static_assert(Part::mainloop_a < Part::mainloop_zero && Part::mainloop_zero < Part::epilogue_c);

SweepRow judged(const TileRequest& request) {
  const TilePlan plan = plan_tile(request);
  SweepRow row{.tile = plan.request.tile, .kernel_arch = request.arch};
  row.outcome = plan.outcome;
  row.builds = plan.builds;
  row.reason = plan.reason;
  row.stages = plan.stages;
  row.total = plan.smem.total;
  row.over = plan.has_bytes() ? plan.over() : 0;
  row.in_flight = bytes_in_flight(plan.smem);
  row.blocks_per_sm = plan.blocks_per_sm;
  return row;
}

/// Runs, or would with a little less: neither refused by a compiler nor outside the models.
bool promising(const SweepRow& row) {
  return row.usable() || (row.outcome == Outcome::over_limit && row.builds != Builds::refused);
}

/// Worth a place beside a promising row of the same tile.
bool has_answer(const SweepRow& row) {
  return promising(row) || row.outcome == Outcome::over_limit ||
         row.outcome == Outcome::too_few_stages;
}

bool better(const SweepRow& a, const SweepRow& b) {
  const auto rank = [](const SweepRow& r) {
    const Tile& t = r.tile;
    const int class_of = r.usable()                             ? 0
                         : r.outcome == Outcome::fits           ? 1
                         : r.outcome == Outcome::over_limit     ? 2
                         : r.outcome == Outcome::too_few_stages ? 3
                                                                : 4;
    return std::tuple(class_of, -r.in_flight, -r.stages, -Bytes{t.m} * t.n, t.m, t.n, t.k,
                      t.epilogue, t.swap_ab, t.cluster.m);
  };
  return rank(a) < rank(b);
}

/// 1x1x1, and on sm_100 and sm_103 also the pair of SMs, which halves each one's share of B.
std::vector<Cluster> clusters_of(const TileRequest& request) {
  const bool pairs = request.arch->cc == 100 || request.arch->cc == 103;
  if (!pairs || request.tile.cluster != Cluster{}) return {request.tile.cluster};
  return {Cluster{}, Cluster{2, 1, 1}};
}

/// The kernel behind a row: rows that differ only in how they are launched share one.
bool same_kernel(const SweepRow& a, const SweepRow& b) {
  return a.tile == b.tile && a.kernel_arch == b.kernel_arch && a.variant == b.variant;
}

/// One tile with every epilogue and swap; all of it, or none where nothing about it is promising.
void add_tile(Sweep& sweep, TileRequest request, const SweepAxes& axes,
              const std::vector<bool>& swaps) {
  std::vector<SweepRow> rows;
  for (const Epilogue epilogue : axes.epilogues)
    for (const bool swap : swaps) {
      request.tile.epilogue = epilogue;
      request.tile.swap_ab = swap;
      rows.push_back(judged(request));
    }
  const bool keep = std::any_of(rows.begin(), rows.end(), promising);
  for (const SweepRow& row : rows) {
    const bool shown = keep && has_answer(row);
    if (shown)
      sweep.kernels.add(row);
    else
      ++sweep.left_out;
    if (shown || axes.keep_refused) sweep.rows.push_back(row);
  }
}

SweepRow of_tactic(const TileRequest& shared, const Tactic& tactic) {
  TileRequest request = shared;
  request.tile = tactic.tile;
  request.arch = tactic.kernel_arch;
  SweepRow row{.tile = tactic.tile, .kernel_arch = tactic.kernel_arch};
  if (!tactic.no_kernel.empty()) {
    row.outcome = Outcome::not_built;
    row.reason = tactic.no_kernel;
  } else if (!tactic.variant.empty()) {
    row.reason = "bytes of this kernel are not modelled";
  } else {
    row = judged(request);
    // A schedule that plan_tile fills in is its own choice, not the list's: keep what the list
    // says.
    row.tile = tactic.tile;
  }
  row.variant = tactic.variant;
  row.launch = tactic.launch;
  return row;
}

}  // namespace

Sweep sweep_space(const TileRequest& request, const SweepAxes& axes) {
  Sweep sweep{.request = request};
  sweep.limit = request.limit > 0 ? request.limit : request.arch->smem_per_block;
  const std::vector<bool> swaps =
      is_mixed(request.tile.operands) ? std::vector<bool>{true} : axes.swaps;
  TileRequest one = request;
  Tile& t = one.tile;
  for (const int m : kSweepM)
    for (const int n : kSweepN)
      for (const int k : kSweepK)
        for (const Cluster& cluster : clusters_of(request)) {
          t.m = m;
          t.n = n;
          t.k = k;
          t.cluster = cluster;
          add_tile(sweep, one, axes, swaps);
        }
  std::sort(sweep.rows.begin(), sweep.rows.end(), better);
  return sweep;
}

Result<Sweep> sweep_list(const TileRequest& request, TacticList list) {
  const Result<std::vector<Tactic>> tactics =
      tactics_of(list, *request.arch, request.tile.operands);
  if (!tactics) return tactics.error();
  Sweep sweep{.request = request};
  sweep.limit = request.limit > 0 ? request.limit : request.arch->smem_per_block;
  sweep.list = row(list).name;
  sweep.list_source = row(list).source;
  for (const Tactic& tactic : *tactics) {
    const auto gemm = static_cast<std::size_t>(tactic.gemm - 1);
    SweepRow next = of_tactic(request, tactic);
    sweep.tactics[gemm].add(next);
    const auto known = std::find_if(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& r) {
      return same_kernel(r, next) && r.launch == next.launch && r.tactic[gemm] < 0;
    });
    SweepRow& to = known == sweep.rows.end() ? sweep.rows.emplace_back(next) : *known;
    to.tactic[gemm] = tactic.number;
  }
  for (auto r = sweep.rows.begin(); r != sweep.rows.end(); ++r)
    if (r->outcome != Outcome::not_built &&
        std::none_of(sweep.rows.begin(), r,
                     [&](const SweepRow& earlier) { return same_kernel(earlier, *r); }))
      sweep.kernels.add(*r);
  return sweep;
}

}  // namespace tilefit
