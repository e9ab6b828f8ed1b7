// SPDX-License-Identifier: Apache-2.0
// tactics_of: the numbered list of configurations that a release's MoE tuner tries on a GPU.
#pragma once

#include <string_view>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/model/sweep.h"
#include "tilefit/plan/flashinfer_tiles.h"

namespace tilefit {

/// "flashinfer-0.7.4"
Result<TacticList> find_tactic_list(std::string_view text);

/// One number of the list: GEMM 1's configurations first, GEMM 2's after them, as the tuner counts.
struct Tactic {
  int number = 0;
  int gemm = 1;  // 1 or 2
  Tile tile{};
  const Arch* kernel_arch = nullptr;
  std::string_view variant{};
  Cluster launch{};
  std::string_view no_kernel{};  // why the dispatcher has none; empty where it has
};

/// The list for `operands` on `arch`; an error where it was not derived.
Result<std::vector<Tactic>> tactics_of(TacticList list, const Arch& arch, Operands operands);

}  // namespace tilefit
