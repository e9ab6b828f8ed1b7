// SPDX-License-Identifier: Apache-2.0
// Reads a CUTLASS 3.x kernel type, GemmUniversal<problem, CollectiveMma<..>,
// CollectiveEpilogue<..>, scheduler>, into a NamedGemm.
#pragma once

#include <string>
#include <string_view>

#include "tilefit/plan/named_gemm.h"
#include "tilefit/read/type_tree.h"

namespace tilefit {

/// What a fusion does with the accumulators, in the words of design: NONE, FINALIZE, or the name of
/// the operation.
struct CutlassName {
  NamedGemm gemm;
  std::string_view fusion;
  std::string_view c, d;             // short names of the element types; "void"
  std::string_view output;           // what ends up in memory: D, or what a scatter writes
  std::string_view mainloop_policy;  // as spelled, also where it is not modelled
  std::string_view epilogue_policy;
  std::string_view schedule;  // as spelled
  bool column_major_d = false;
  bool grouped = false;
  bool arch_tag = false;  // the mainloop policy names its architecture: CUTLASS later than 4.2
  int arch = 0;
  std::string why;  // why the bytes cannot be computed; empty when gemm is complete
};

/// The innermost GemmUniversal<...> among a kernel's template arguments; kNoNode if there is none.
NodeId find_gemm_universal(const TypeTree& tree, NodeId kernel);

CutlassName read_cutlass_name(const TypeTree& tree, NodeId gemm_universal);

}  // namespace tilefit
