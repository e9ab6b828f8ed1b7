// SPDX-License-Identifier: Apache-2.0
// A sweep as JSON (schema tilefit.sweep/1) and as CSV, whose rows `tilefit plan --from` reads
// again.
#pragma once

#include <string>

#include "tilefit/model/sweep.h"

namespace tilefit {

/// One document and a line end.
std::string sweep_json(const Sweep& sweep);

/// A heading and one row a configuration: the columns that describe it, then what became of it.
std::string sweep_csv(const Sweep& sweep);

}  // namespace tilefit
