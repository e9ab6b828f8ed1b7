// SPDX-License-Identifier: Apache-2.0
// A sweep as a picture: tiles down, epilogues and swap-AB across; bytes, stages and a bar against
// the limit in each cell. An outcome has a colour that colour-blind readers tell apart, and a
// letter.
#pragma once

#include <string>

#include "tilefit/model/sweep.h"

namespace tilefit {

/// 1200 units wide.
std::string sweep_svg(const Sweep& sweep);

}  // namespace tilefit
