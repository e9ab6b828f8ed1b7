// SPDX-License-Identifier: Apache-2.0
// PTX: device code as text, compiled when it is loaded. Read are its target, its kernels with their
// bounds, and the shared variables that they declare. Registers are not decided yet.
#pragma once

#include <vector>

#include "tilefit/model/result.h"
#include "tilefit/read/code_entry.h"

namespace tilefit {

struct Ptx {
  CodeTarget target;
  std::vector<CodeFunction> kernels;  // in the order of the text
};

bool looks_like_ptx(ByteView bytes);
Result<Ptx> read_ptx(ByteView text);

}  // namespace tilefit
