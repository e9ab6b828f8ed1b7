// SPDX-License-Identifier: Apache-2.0
// What changed between two scans, as text and as JSON (schema tilefit.scan-diff/1).
#pragma once

#include "tilefit/model/scan_diff.h"
#include "tilefit/report/scan_json.h"
#include "tilefit/report/style.h"

namespace tilefit {

void scan_diff_text(const ScanReport& before, const ScanReport& after, const ScanDiff& diff,
                    const TextStyle& style, const Write& write);
void scan_diff_json(const ScanReport& before, const ScanReport& after, const ScanDiff& diff,
                    const Write& write);

}  // namespace tilefit
