// SPDX-License-Identifier: Apache-2.0
// tilefit, the library: which tiles of a GEMM kernel fit the shared memory of a GPU, byte by byte.
//
//   tilefit::Tile tile{.m = 128, .n = 256, .k = 128, .epilogue = tilefit::Epilogue::finalize};
//   const auto plan = tilefit::plan("rtx pro 6000", tile);
//   if (!plan) std::puts(plan.error().what.c_str());
//   else if (!plan->usable()) std::printf("%ld bytes too many\n", long(plan->over()));
//
// Shapes are in elements (an FP4 tile that a log calls 128x256x64B is 128x256x128 here), sizes in
// bytes. Nothing throws and nothing is read from the machine: what cannot be answered comes back as
// an Error (a name that is not known) or as Outcome::unknown with the reason (a kernel that is not
// modelled). Sizes are those of compiled kernels; docs/counting-bytes.md says how each is checked.
//
// A caller may use what this header names, and the members of the values that come back; the
// headers it includes are where they are described.
#pragma once

#include <string_view>

#include "tilefit/model/gpu_names.h"
#include "tilefit/model/result.h"
#include "tilefit/model/tile_plan.h"
#include "tilefit/plan/fixes.h"
#include "tilefit/plan/launch.h"
#include "tilefit/plan/plan.h"
#include "tilefit/plan/sweep.h"

namespace tilefit {

/// Every byte of `tile` on `gpu` ("rtx 5090", "sm_120", "12.0"), the outcome, and the stages that
/// the builder chooses. An Error where `gpu` is not known or a side of the tile is not 1 to 2^20.
inline Result<TilePlan> plan(std::string_view gpu, const Tile& tile,
                             Family family = Family::cutlass_moe,
                             Builder builder = kNewestBuilder) {
  constexpr int kMost = 1 << 20;
  const Result<Target> target = find_target(gpu);
  if (!target) return target.error();
  for (const int side : {tile.m, tile.n, tile.k})
    if (side < 1 || side > kMost)
      return Error{"a side of the tile is not 1 to 1048576", "tile", "give elements"};
  return plan_tile({.arch = target->arch,
                    .gpu = target->gpu,
                    .family = family,
                    .builder = builder,
                    .tile = tile});
}

/// Single changes that make a plan that does not fit one that does, best first; see also fixes().
inline std::vector<Fix> what_fits(const TilePlan& broken) { return fixes(broken); }

/// Every sensible tile like `like` (its operands, kernel, cluster), best first.
inline Result<Sweep> search(std::string_view gpu, const Tile& like, const SweepAxes& axes = {},
                            Family family = Family::cutlass_moe) {
  const Result<Target> target = find_target(gpu);
  if (!target) return target.error();
  return sweep_space({.arch = target->arch, .gpu = target->gpu, .family = family, .tile = like},
                     axes);
}

/// Whether a kernel of known size can start on `gpu`: static and dynamic shared memory in bytes,
/// registers per thread, threads per block.
inline Result<Launch> will_launch(Bytes static_bytes, Bytes dynamic_bytes, int registers,
                                  int threads, std::string_view gpu) {
  const Result<Target> target = find_target(gpu);
  if (!target) return target.error();
  return will_launch(static_bytes, dynamic_bytes, registers, threads, *target->arch);
}

/// The same judgement over a plan's bytes, with registers and threads that only the compiler knows.
inline Launch judge(const TilePlan& plan, int registers, int threads) {
  return will_launch(plan.request.static_bytes, plan.smem.total, registers, threads,
                     *plan.request.arch);
}

}  // namespace tilefit
