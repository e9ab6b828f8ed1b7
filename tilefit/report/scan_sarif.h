// SPDX-License-Identifier: Apache-2.0
// A scan's findings as SARIF 2.1.0, which code hosts show beside the change that brought them.
#pragma once

#include <string_view>

#include "tilefit/model/scan.h"
#include "tilefit/report/scan_json.h"

namespace tilefit {

void scan_sarif(const ScanReport& report, std::string_view version, const Write& write);

}  // namespace tilefit
