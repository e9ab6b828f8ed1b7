// SPDX-License-Identifier: Apache-2.0
// A scan as text: the summary first, then the findings by GPU and outcome.
#pragma once

#include "tilefit/model/scan.h"
#include "tilefit/report/scan_json.h"
#include "tilefit/report/style.h"

namespace tilefit {

/// With `all`, every kernel after the findings.
void scan_text(const ScanReport& report, bool all, const TextStyle& style, const Write& write);

}  // namespace tilefit
