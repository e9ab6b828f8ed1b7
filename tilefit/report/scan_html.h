// SPDX-License-Identifier: Apache-2.0
// A scan as one HTML page that needs nothing else: a table that sorts, and how much shared memory
// kernels take against what GPUs allow.
#pragma once

#include "tilefit/model/scan.h"
#include "tilefit/report/scan_json.h"

namespace tilefit {

void scan_html(const ScanReport& report, const Write& write);

}  // namespace tilefit
