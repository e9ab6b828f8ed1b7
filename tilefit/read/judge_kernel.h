// SPDX-License-Identifier: Apache-2.0
// What becomes of a compiled kernel on a GPU: which of its images the driver takes, and whether
// that one can be launched.
#pragma once

#include "tilefit/model/scan.h"
#include "tilefit/read/code_entry.h"

namespace tilefit {

/// Whether a GPU of compute capability `cc` runs the code. Suffix a: exactly that chip. f: later
/// chips of the same family too. Cubins without: the same major, no older. PTX without: no older.
bool runs_on(const CodeTarget& target, CodeKind code, int cc);

/// Without PTX that the driver would take on none of `ccs`, since a cubin beside it runs there.
CodeList without_idle_ptx(CodeList list, const std::vector<int>& ccs);

/// The image that the driver takes on `cc`: the newest cubin that runs, else the newest PTX; -1
/// where none runs.
int image_for(const KernelFacts& kernel, int cc);

/// The outcome, from the one that says most to the one that says least: no_code, stub, over_limit,
/// too_many_registers, arch_tag_mismatch, unknown, fits. `gpu` is passed on.
KernelVerdict judge(const KernelFacts& kernel, const Arch& arch, int gpu);

}  // namespace tilefit
