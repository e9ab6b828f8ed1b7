// SPDX-License-Identifier: Apache-2.0
// A sweep as a matrix: a line for each tile, a column for each epilogue with and without swap-AB.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/sweep.h"

namespace tilefit {

struct SweepColumn {
  Epilogue epilogue = Epilogue::none;
  bool swap_ab = false;
  bool operator==(const SweepColumn&) const = default;
};

struct SweepLine {
  std::string tile;                    // "128x256x128"
  std::string notes;                   // what else tells it from other lines: "2SM", "nosmem"
  std::vector<const SweepRow*> cells;  // by column; null where there is none
};

struct SweepGrid {
  std::vector<SweepColumn> columns;
  std::vector<SweepLine> lines;  // in the order in which the rows come
};

/// Rows that share a kernel (launched with other clusters) share a cell; the first one stands
/// there.
SweepGrid grid_of(const Sweep& sweep);

/// "none, swap-AB"
std::string column_title(const SweepColumn& column);

/// "2SM, nosmem, cluster 2x1, sm_80 kernel"; empty for a default kernel.
std::string kernel_notes(const SweepRow& row);

/// "+1024", "-3072"; empty where the bytes are not known.
std::string over_text(const SweepRow& row);

/// "3 stages"; what the builder came to where that is too few.
std::string stages_text(const SweepRow& row);

/// "fits", "over_limit", "fits, does not compile": outcome and builds in one.
std::string_view outcome_text(const SweepRow& row);

/// "32 kernels: 30 run, 2 are over the limit"
std::string counts_text(const SweepCounts& counts, std::string_view one, std::string_view many);

}  // namespace tilefit
