// SPDX-License-Identifier: Apache-2.0
// Sweep: many tiles of one kind on one GPU, each with its outcome; the whole sensible space, or the
// list that a release's tuner offers.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/tile_plan.h"

namespace tilefit {

/// One configuration and what becomes of it.
struct SweepRow {
  Tile tile{};
  const Arch* kernel_arch = nullptr;  // whose kernel: sm_103 is also offered those of sm_100
  std::string_view variant{};         // a kernel that no field of Tile tells: an sm_80 kernel, ...
  Cluster launch{};  // cluster asked for at launch, where the kernel leaves it open

  Outcome outcome = Outcome::unknown;
  Builds builds = Builds::type_only;
  std::string_view reason{};
  int stages = 0;
  Bytes total = 0, over = 0;  // 0 and 0 where the bytes are not known
  Bytes in_flight = 0;        // operand and scale bytes of all stages together
  int blocks_per_sm = 0;

  /// Numbers in a tuner's list: as GEMM 1, as GEMM 2; -1 = not offered there.
  std::array<int, 2> tactic{-1, -1};

  bool usable() const { return outcome == Outcome::fits && builds != Builds::refused; }
};

/// How many of something have each outcome. `refused` fit and do not compile; the others fit as
/// said.
struct SweepCounts {
  std::array<int, kOutcomeNames.size()> by_outcome{};
  int refused = 0;

  void add(const SweepRow& row) {
    const bool fits_only = row.outcome == Outcome::fits && !row.usable();
    fits_only ? ++refused : ++by_outcome[static_cast<std::size_t>(row.outcome)];
  }
  int of(Outcome o) const { return by_outcome[static_cast<std::size_t>(o)]; }
  int all() const {
    int sum = refused;
    for (const int n : by_outcome) sum += n;
    return sum;
  }
};

struct Sweep {
  TileRequest request{};  // what all rows share
  Bytes limit = 0;
  std::string_view list{};         // "flashinfer-0.7.4"; empty for the whole space
  std::string_view list_source{};  // files the list was derived from
  std::vector<SweepRow> rows{};    // in list order, or best first
  SweepCounts kernels{};  // distinct kernels; launch clusters and GEMMs do not multiply them
  std::array<SweepCounts, 2> tactics{};  // offered for GEMM 1, GEMM 2
  int left_out = 0;  // of the space: refused by a compiler, too few stages, or not modelled
};

}  // namespace tilefit
