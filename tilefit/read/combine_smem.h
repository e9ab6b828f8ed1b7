// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory, read several ways: what they agree on, and where they do not.
#pragma once

#include <vector>

#include "tilefit/model/facts.h"

namespace tilefit {

/// What both say. `better` wins where they agree; where each gives bytes that the other does not,
/// all are kept and `disagrees` is set.
DynamicSmem combine(DynamicSmem better, const DynamicSmem& other);

/// Short names, families, and what the names say of shared memory, combined with what is known.
void read_names(std::vector<KernelFacts>& kernels);

}  // namespace tilefit
