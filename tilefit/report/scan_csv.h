// SPDX-License-Identifier: Apache-2.0
// A scan as CSV: a line for each kernel and set of images that agree.
#pragma once

#include "tilefit/model/scan.h"
#include "tilefit/report/scan_json.h"

namespace tilefit {

void scan_csv(const ScanReport& report, bool all, const Write& write);

/// One field, quoted where it must be.
std::string csv_field(std::string_view text);

}  // namespace tilefit
