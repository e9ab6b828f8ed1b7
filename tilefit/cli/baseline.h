// SPDX-License-Identifier: Apache-2.0
// Scans compared: with a baseline that hides what was known, and with another scan.
#pragma once

#include <optional>
#include <string_view>

#include "tilefit/model/result.h"
#include "tilefit/model/scan.h"

namespace tilefit {

/// Marks verdicts that the scan in `json` (tilefit.scan/1) holds too: same file name, symbol,
/// architecture and outcome. An error where the text is no such document.
std::optional<Error> apply_baseline(ScanReport& report, std::string_view json);

}  // namespace tilefit
