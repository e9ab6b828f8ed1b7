// SPDX-License-Identifier: Apache-2.0
// How many kernels take how much shared memory, with the limits of GPUs drawn in.
#pragma once

#include <string>

#include "tilefit/model/scan.h"

namespace tilefit {

/// An <svg> element. Kernels whose dynamic bytes are not known are left out, and said to be.
std::string smem_histogram(const ScanReport& report);

}  // namespace tilefit
