// SPDX-License-Identifier: Apache-2.0
// Sweeps: every sensible tile of a kind of kernel, best first, or the list of a release's tuner,
// each planned and judged.
#pragma once

#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/model/sweep.h"
#include "tilefit/plan/flashinfer_tiles.h"

namespace tilefit {

struct SweepAxes {
  std::vector<Epilogue> epilogues{Epilogue::none};
  std::vector<bool> swaps{false, true};
  bool keep_refused = false;  // also list tiles that a compiler refuses, that come to fewer than
                              // two stages, or that no model covers
};

/// Tiles x epilogues x swap of what `request` says otherwise, best first: what can launch before
/// what cannot, then more operand bytes in flight, then more stages, then a larger M x N, then the
/// names.
Sweep sweep_space(const TileRequest& request, const SweepAxes& axes);

/// What the tuner offers, in its order; one row a configuration, with its numbers for both GEMMs.
Result<Sweep> sweep_list(const TileRequest& request, TacticList list);

/// M, N and K, in elements, of the whole space.
extern const std::vector<int> kSweepM, kSweepN, kSweepK;

}  // namespace tilefit
