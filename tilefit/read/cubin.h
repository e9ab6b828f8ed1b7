// SPDX-License-Identifier: Apache-2.0
// Cubin: compiled device code for one chip, as an ELF file of machine EM_CUDA.
//
// For a kernel K there are sections .text.K (code), .nv.info.K (attributes; device functions that
// were not inlined have none), .nv.shared.K, .nv.local.K and .nv.constantN.K (by their size).
// Registers and stack stand in the global .nv.info, by symbol. From sm_90 on .nv.shared.K counts
// 1024 bytes for the driver. Checked against cuobjdump on every function of many wheels
// (docs/measurements.md).
#pragma once

#include <string>
#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/code_entry.h"
#include "tilefit/read/elf.h"

namespace tilefit {

struct Cubin {
  CodeTarget target;                    // suffix as far as the cubin itself tells
  std::string tool_version;             // "V13.0.88"; empty where not stated
  std::vector<CodeFunction> functions;  // in the order of the symbol table
};

bool looks_like_cubin(ByteView bytes);
Result<Cubin> read_cubin(ByteView file);

}  // namespace tilefit
