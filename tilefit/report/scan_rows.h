// SPDX-License-Identifier: Apache-2.0
// Rows of a scan: images of one kernel that agree in every fact share one, with all their targets.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tilefit/model/scan.h"

namespace tilefit {

struct ScanRow {
  const ScannedKernel* kernel = nullptr;
  std::vector<const KernelImage*> images;      // at least one; all with equal facts
  std::vector<const KernelVerdict*> verdicts;  // of the GPUs that run one of these images; no_code
                                               // stands in the kernel's first row
  const ImageFacts& facts() const { return images.front()->facts; }
  bool is_finding() const;
};

std::vector<ScanRow> rows_of(const ScannedKernel& kernel);

/// "sm_90a", "compute_120" of each image of the row.
std::vector<std::string> targets_of(const ScanRow& row);

/// Verdicts that are findings and not hidden by a baseline.
bool is_open_finding(const KernelVerdict& verdict);

/// Verdicts by outcome, one array for each GPU.
using OutcomeCounts = std::array<int, kOutcomeNames.size()>;
std::vector<OutcomeCounts> count_outcomes(const ScanReport& report);

/// Why the outcome is what it is, with numbers: "needs 136704 B, 35328 over the limit of 101376".
std::string reason(const ScanReport& report, const ScannedKernel& kernel,
                   const KernelVerdict& verdict);

}  // namespace tilefit
