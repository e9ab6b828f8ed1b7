// SPDX-License-Identifier: Apache-2.0
// A sweep as text: the matrix of the whole space, or the numbered list of a tuner.
#pragma once

#include <string>

#include "tilefit/model/sweep.h"
#include "tilefit/report/style.h"

namespace tilefit {

std::string sweep_text(const Sweep& sweep, const TextStyle& style);

}  // namespace tilefit
