// SPDX-License-Identifier: Apache-2.0
// Names that fit on a line: the qualified name with its template arguments folded.
#pragma once

#include <string>

#include "tilefit/read/cutlass_name.h"
#include "tilefit/read/type_tree.h"

namespace tilefit {

/// Longer short names lose nested template arguments, then the last arguments.
inline constexpr std::size_t kShortNameBytes = 160;

/// Of any kernel: "flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128,64,64,4,..>,false,true>".
std::string short_name(const TypeTree& tree);

/// Of a CUTLASS 3.x kernel: "cutlass grouped sm120 nvfp4 128x256x128 s3 FINALIZE bf16".
std::string short_name(const CutlassName& name);

/// What the two operands and their scales are called together: "nvfp4", "e4m3xe5m2".
std::string operands_name(const NamedGemm& gemm);

/// Bytes that a terminal would act on, and bytes that are not ASCII, as '?'.
std::string printable(std::string_view text);

}  // namespace tilefit
