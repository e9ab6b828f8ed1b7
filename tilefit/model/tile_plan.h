// SPDX-License-Identifier: Apache-2.0
// TilePlan: the whole answer for one tile on one GPU: bytes, outcome, and what would make it fit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/arch.h"
#include "tilefit/model/family.h"
#include "tilefit/model/smem_plan.h"
#include "tilefit/model/tile.h"
#include "tilefit/model/verdict.h"

namespace tilefit {

struct Gpu;

/// What is asked: a tile of a family, by a builder, on an architecture.
struct TileRequest {
  const Arch* arch = nullptr;
  const Gpu* gpu = nullptr;  // the product, where one was named
  Family family = Family::cutlass_moe;
  Builder builder = kNewestBuilder;
  Tile tile{};
  Bytes limit = 0;         // bytes a block may have; 0 = the architecture's opt-in limit
  Bytes static_bytes = 0;  // static shared memory beside the planned dynamic bytes
};

struct TilePlan {
  TileRequest request{};  // with every automatic choice but the stage count resolved
  Outcome outcome = Outcome::unknown;
  Builds builds = Builds::type_only;
  std::string_view reason{};  // why not, or why not known; empty when it simply fits or does not
  std::string_view source{};  // file and line that the reason stands in, or what was compiled
  int stages = 0;             // in the plan; with too_few_stages what the builder came to
  int stages_auto = 0;        // the builder's own quotient (0 = not computed)
  Bytes limit = 0;
  SmemPlan smem{};        // empty without a layout
  int blocks_per_sm = 0;  // by shared memory alone; 0 = does not fit or not known

  Bytes needed() const { return smem.total + request.static_bytes; }
  Bytes over() const { return needed() - limit; }
  bool has_bytes() const { return smem.total > 0; }
  /// True only where a launch can succeed: enough room, and device code not known to fail.
  bool usable() const { return outcome == Outcome::fits && builds != Builds::refused; }
};

/// One change that makes a tile fit, re-planned.
struct Fix {
  std::string change;         // "swap A and B"
  std::string flags;          // "--swap-ab"
  std::string source_change;  // what to edit where no flag of the kernel's user does it
  TilePlan plan;
};

/// One line of the builder's sum beside the bytes the storage really has.
struct LedgerLine {
  std::string what;
  Bytes believed = 0, real = 0;
};

/// The builder's stage arithmetic and where it parts from the truth.
struct Ledger {
  Bytes capacity = 0, reserved = 0, carveout = 0, stage = 0;
  int quotient = 0, stages = 0;
  std::vector<LedgerLine> lines;  // their sums: what the builder believed, and the total
};

/// A plan with all that is printed beside it.
struct TileReport {
  TilePlan plan{};
  std::string sentence;  // the outcome in one sentence
  bool marked = false;   // a region is to blame
  Part culprit = Part::pad;
  std::vector<Fix> fixes;
  Ledger ledger;  // empty unless asked for
};

/// One component under the name that the ground truth gives it.
struct Component {
  std::string_view name;
  Bytes value = 0;
};

}  // namespace tilefit
