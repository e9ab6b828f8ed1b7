// SPDX-License-Identifier: Apache-2.0
// The causal chain: symptom -> separation -> bytes -> component -> fix, each link with how far it
// holds. A chain claims no more than its weakest link.
#pragma once

#include <vector>

#include "tilefit/doctor/tactic_study.h"

namespace tilefit {

/// Empty where no tactic failed in initialisation.
std::vector<ChainLink> chain_of(const TacticStudy& study, const Setting& setting);

/// Do the bytes of every failing and every working tactic agree with what was seen?
Confidence bytes_agree(const TacticStudy& study);

/// Fixes that help every failing tactic, best first, each as one sentence.
std::vector<std::string> common_fixes(const TacticStudy& study);

}  // namespace tilefit
