// SPDX-License-Identifier: Apache-2.0
// A scan as JSON (schema tilefit.scan/1, schemas/scan.schema.json), written piece by piece: a large
// library has a hundred thousand kernels.
#pragma once

#include <functional>
#include <string_view>

#include "tilefit/model/scan.h"

namespace tilefit {

using Write = std::function<void(std::string_view)>;

/// One document. Without `all` only kernels with a finding are listed.
void scan_json(const ScanReport& report, bool all, const Write& write);

}  // namespace tilefit
