// SPDX-License-Identifier: Apache-2.0
// Fact: what one line of a log, or of a tool's output, says. Nothing is concluded here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilefit/model/smem_plan.h"

namespace tilefit {

/// A line of an input; lines count from 1.
struct Evidence {
  int input = 0;
  std::int64_t line = 0;
  std::string text{};  // the line without colours, shortened
  bool operator==(const Evidence&) const = default;
};

enum class FactKind : std::uint8_t {
  // a tuner and the launcher behind it
  tactic_failed,    // name = runner or operator, tactic, detail = the error
  tactic_works,     // was timed
  tactics_skipped,  // number of them, name = operator
  tuning_started,
  tuning_ended,
  tuning_fallback,   // a shape that the tuned range does not cover
  cache_refused,     // name = file
  init_failed,       // "Failed to initialize cutlass ..": detail = the status
  unsupported_tile,  // number = the digits of the tile
  occupancy_zero,    // "GPU lacks the shared memory resources"
  workspace_small,   // device memory for a workspace: required, limit
  generated_file,    // a kernel file's name: arch, number = M
  // a program that says how much it wanted
  smem_refused,      // required, limit (-1 where the line has none), name = what refused
  skipped_choice,    // a tuner says that it goes on without a candidate
  triton_config,     // block_m, block_n, block_k, num_stages
  smem_set,          // a trace: required bytes asked for
  smem_set_refused,  // the attribute call returned an error: code
  // the CUDA runtime, its compiler and its tools
  cuda_error,       // code, name = the call where the line has it
  static_refused,   // ptxas: too much static shared data: required, limit
  feature_missing,  // ptxas: an instruction that the target lacks: detail, arch
  target_unknown,   // ptxas: a target it does not know: arch
  kernel_usage,     // registers = number, required = static bytes, name = kernel, arch
  profiled_smem,    // ncu: required = bytes a block, detail = "dynamic", "static", "driver"
  stages_assert,    // a builder's assert about stages
  smem_assert,      // "SMEM usage exceeded capacity."
  // serving stacks
  config_missing,    // name = file
  config_fallback,   // a neighbouring file is used: name = file wanted, detail = used
  backend_chosen,    // name
  backend_refused,   // detail
  host_shm_wait,     // shared memory between processes of the host
  arch_unsupported,  // name = GPU, arch
  arch_list,         // detail = targets that a build holds or was asked for
  symbol_missing,    // name
  host_error,        // a Python error: name = its type, detail
  // what the surroundings are
  gpu_seen,       // name
  version_seen,   // name = package, detail = version
  operands_seen,  // name = operands
  tile_named,     // block_m, block_n; number = bytes of one row of K
  optin_seen,     // limit = the opt-in limit that the program read
};

/// Fields that a kind does not mention are empty. -1 = not said.
struct Fact {
  FactKind kind{};
  std::string name{}, detail{};
  std::string arch{};         // "sm_120a"
  std::vector<int> tactic{};  // one number, or the several that newer tuners print
  Bytes required = -1, limit = -1;
  int code = 0;  // of a CUDA error
  std::int64_t number = -1;
  int block_m = 0, block_n = 0, block_k = 0, num_stages = 0;

  std::int64_t times = 1;          // lines that say the same
  std::vector<Evidence> places{};  // the first of them

  bool same_as(const Fact& o) const {
    return kind == o.kind && name == o.name && detail == o.detail && arch == o.arch &&
           tactic == o.tactic && required == o.required && limit == o.limit && code == o.code &&
           number == o.number && block_m == o.block_m && block_n == o.block_n &&
           block_k == o.block_k && num_stages == o.num_stages;
  }
};

/// One file, or standard input, after reading.
struct DoctorInput {
  std::string path{};
  std::string kind{};  // what it was recognised as: "FlashInfer tuner, Triton"; "nothing known"
  std::int64_t lines = 0, skipped_lines = 0;  // skipped: longer than the bound
  std::string stopped{};                      // why reading ended early; empty = read to its end
};

struct LogFacts {
  std::vector<DoctorInput> inputs{};
  std::vector<Fact> facts{};  // in the order of their first line
  std::int64_t dropped = 0;   // distinct facts beyond the bound
};

}  // namespace tilefit
