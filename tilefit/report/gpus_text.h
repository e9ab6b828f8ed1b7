// SPDX-License-Identifier: Apache-2.0
// The table of GPUs and architectures as text and as JSON, each number with its source.
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/gpu.h"
#include "tilefit/report/style.h"

namespace tilefit {

/// One line a GPU; with `sources`, every number of each is followed by where it was read.
std::string gpus_text(const std::vector<const Gpu*>& gpus, bool sources, const TextStyle& style);

/// Schema tilefit.gpus/1: numbers as {"value","source"}, null where unknown.
std::string gpus_json(const std::vector<const Gpu*>& gpus);

}  // namespace tilefit
