// SPDX-License-Identifier: Apache-2.0
// ScanDiff: what became of kernels between two scans, for the same GPUs.
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/scan.h"

namespace tilefit {

/// A kernel that both have, whose outcome or size is another one now.
struct KernelChange {
  int before = 0, after = 0;  // indices into the reports' kernels
  int gpu = 0;
  Outcome from = Outcome::unknown, to = Outcome::unknown;
};

struct ScanDiff {
  std::vector<int> gained;  // indices into the later report
  std::vector<int> lost;    // indices into the earlier report
  std::vector<KernelChange> changed;

  /// Changes to an outcome that is a finding: kernels that could be launched and no longer can.
  int broken() const {
    int count = 0;
    for (const KernelChange& c : changed) count += is_finding(c.to) && !is_finding(c.from) ? 1 : 0;
    return count;
  }
};

}  // namespace tilefit
