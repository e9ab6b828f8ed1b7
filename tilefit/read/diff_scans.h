// SPDX-License-Identifier: Apache-2.0
// Compares two scans that were judged for the same GPUs.
#pragma once

#include "tilefit/model/scan_diff.h"

namespace tilefit {

/// Kernels are the same where their symbols are.
ScanDiff diff_scans(const ScanReport& before, const ScanReport& after);

}  // namespace tilefit
