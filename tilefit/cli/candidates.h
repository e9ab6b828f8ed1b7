// SPDX-License-Identifier: Apache-2.0
// Candidates that others propose: tuned configurations of vLLM and SGLang, Triton's autotune cache,
// kernel_tuner's cache, the proposals of nvMatmulHeuristics (tools/nvmmh_candidates.py).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilefit/cli/args.h"
#include "tilefit/plan/request_text.h"

namespace tilefit {

struct Candidate {
  std::string label;  // where it stands in the file: "64", "configs_timings/3/0"
  TileRequest request{};
};

/// Every object of the JSON `text` that names M, N and K of a block. Triton's words (BLOCK_SIZE_M,
/// num_warps ..) make a fused MoE kernel of family triton, nvMatmulHeuristics' (cta_tile_m ..) a
/// dense one of family cutlass, unless `draft` names another. `path` tells vLLM's operands.
Result<std::vector<Candidate>> read_candidates(std::string_view text, const std::string& path,
                                               const RequestDraft& draft);

/// Plans each, prints them, and says how many cannot run. Exit code as for files of tiles.
Result<int> judge_candidates(const std::string& path, const RequestDraft& draft,
                             const CommonArgs& common);

}  // namespace tilefit
