// SPDX-License-Identifier: Apache-2.0
// KernelName: all that the name of a kernel says, mangled, demangled or plain.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tilefit/model/facts.h"
#include "tilefit/read/cutlass_name.h"

namespace tilefit {

struct KernelName {
  std::string short_name;
  std::string_view family;  // a row's name of kKernelFamilies; empty where none is recognised
  int arch = 0;             // architecture that the kernel is written for, where its name says so
  std::optional<CutlassName> cutlass;  // of CUTLASS 3.x kernels; its texts point into the symbol
  DynamicSmem dynamic;                 // from the name alone
  bool readable = true;  // false: the name itself could not be read; dynamic.why says why
};

KernelName read_kernel_name(std::string_view symbol);

/// Bytes that the type of a CUTLASS kernel asks for; two where builder versions differ.
DynamicSmem named_smem(const CutlassName& name);

}  // namespace tilefit
