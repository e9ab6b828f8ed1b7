// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory, read several ways: what they agree on, and where they do not.
#pragma once

#include <vector>

#include "tilefit/model/facts.h"
#include "tilefit/read/container.h"
#include "tilefit/read/elf.h"

namespace tilefit {

/// What both say. `better` wins where they agree; where each gives bytes that the other does not,
/// all are kept and `disagrees` is set.
DynamicSmem combine(DynamicSmem better, const DynamicSmem& other);

/// What host code says of the kernels, combined with what is known. `release` is told of host code
/// that is not needed again soon.
void read_host_smem(std::vector<KernelFacts>& kernels, const Elf& program, const Release& release);

/// Short names, families, and what the names say of shared memory, combined with what is known.
void read_names(std::vector<KernelFacts>& kernels);

}  // namespace tilefit
