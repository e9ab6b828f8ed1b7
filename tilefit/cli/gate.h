// SPDX-License-Identifier: Apache-2.0
// Gate: a condition on a scan's counts, for CI: "over_limit == 0 && sm_120.no_code < 10".
//
//   expression = conjunction { "||" conjunction }
//   conjunction = term { "&&" term }
//   term = "!" term | "(" expression ")" | count comparison number
//   comparison = "==" | "!=" | "<" | "<=" | ">" | ">="
//   count = word | architecture "." word
//   word = an outcome (fits, over_limit, no_code, stub, arch_tag_mismatch, too_many_registers,
//          unknown), kernels, files, notes, disagreements
//
// An outcome without an architecture counts over all GPUs of the scan.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tilefit/model/result.h"
#include "tilefit/model/scan.h"

namespace tilefit {

/// What words of a gate stand for; "sm_120.over_limit" and "over_limit" are both keys.
using GateCounts = std::map<std::string, long, std::less<>>;

/// Findings that a baseline hides do not count.
GateCounts gate_counts(const ScanReport& report);

/// Whether the condition holds; an error where it is none.
Result<bool> gate_holds(std::string_view expression, const GateCounts& counts);

}  // namespace tilefit
