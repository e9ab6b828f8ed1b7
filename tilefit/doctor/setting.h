// SPDX-License-Identifier: Apache-2.0
// Setting: on what, and of which release, a log speaks; from flags first, then from the log itself.
// Whatever was taken from the log or assumed says so.
#pragma once

#include <optional>
#include <string>

#include "tilefit/model/gpu_names.h"
#include "tilefit/model/log_fact.h"
#include "tilefit/plan/tactics.h"

namespace tilefit {

struct DoctorOptions {
  std::optional<Target> target;  // --gpu
  std::optional<TacticList> list;
  std::optional<Operands> operands;
};

struct Setting {
  const Arch* arch = nullptr;
  std::string gpu;
  std::string arch_why;  // "--gpu", "the kernel file's name"
  std::optional<TacticList> list;
  std::string list_why;
  std::string other_release;  // a release that the log names and that has no derived list
  Operands operands = Operands::nvfp4;
  std::string operands_why;  // "assumed" where nothing says

  Bytes limit() const { return arch == nullptr ? -1 : arch->smem_per_block; }
};

Setting setting_of(const LogFacts& log, const DoctorOptions& options);

/// The architecture of "sm_120a"; null where it names none.
const Arch* arch_named(std::string_view target);
/// Names of the architectures whose blocks may have exactly `limit` bytes: "sm_86, sm_89"; empty
/// where there are none.
std::string archs_with_limit(Bytes limit);

}  // namespace tilefit
