// SPDX-License-Identifier: Apache-2.0
// The tuners of FlashInfer and TensorRT-LLM, and the C++ launchers behind them. Both spell their
// prefix in three ways; what they print of a failure is the launcher's text.
#include <cctype>

#include "tilefit/doctor/readers.h"

namespace tilefit {
namespace {

/// Runner, tactic, error.
bool failed(Fact& f, Captures g, LineContext&) {
  f.name = class_of(g[0]);
  f.tactic = tactic_of(g[1]);
  f.detail = g[2];
  f.code = cuda_code_of(g[2]);
  return !f.tactic.empty();
}

bool worked(Fact& f, Captures g, LineContext&) {
  f.name = class_of(g[0]);
  f.tactic = tactic_of(g[1]);
  if (g[2].find("inf") != std::string_view::npos) {
    f.kind = FactKind::tactic_failed;
    f.detail = "timed as infinite";
  }
  return !f.tactic.empty();
}

bool skipped(Fact& f, Captures g, LineContext&) {
  f.number = number_of(g[0]);
  f.name = g[1];
  return f.number > 0;
}

bool named(Fact& f, Captures g, LineContext&) {
  if (!g.empty()) f.name = g[0];
  return true;
}

bool init(Fact& f, Captures g, LineContext&) {
  f.name = g[0];
  f.detail = g[1];
  return true;
}

bool bare_status(Fact& f, Captures g, LineContext&) {
  f.detail = g[0];
  return true;
}

bool digits(Fact& f, Captures g, LineContext&) {
  f.number = number_of(g[0]);
  return f.number > 0;
}

bool generated(Fact& f, Captures g, LineContext&) {
  f.arch = "sm_" + std::string(g[0]);
  f.number = number_of(g[1]);
  return true;
}

bool asked_and_had(Fact& f, Captures g, LineContext&) {
  f.required = number_of(g[0]);
  f.limit = number_of(g[1]);
  return f.required > 0;
}

bool launcher_guard(Fact& f, Captures g, LineContext& c) {
  f.name = "the launcher's guard";
  return asked_and_had(f, g, c);
}

bool version(Fact& f, Captures g, LineContext&) {
  f.name = "flashinfer";
  f.detail = g[0];
  return true;
}

bool operands(Fact& f, Captures g, LineContext&) {
  for (const char c : g[0])
    f.name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (f.name.find("e2m1") != std::string::npos) f.name = "nvfp4";
  return true;
}

/// A tile as the launcher names it: K in packed bytes.
bool tile(Fact& f, Captures g, LineContext&) {
  f.block_m = static_cast<int>(number_of(g[0]));
  f.block_n = static_cast<int>(number_of(g[1]));
  f.number = number_of(g[2]);
  constexpr int kMost = 1024;
  return f.block_m > 0 && f.block_m <= kMost && f.block_n > 0 && f.block_n <= kMost &&
         f.number > 0 && f.number <= kMost;
}

using enum FactKind;
constexpr LinePattern kPatterns[] = {
    {tactic_failed,
     R"(\[Auto[Tt]un+er\]:? *Skipping tactic (.+?) (-?\d+|\[[-\d, ]*\]|\([-\d, ]*\)),? due to failure while profiling: (.*))",
     failed},
    {tactic_failed,
     R"(\[Auto[Tt]un+er\]:? *Failed when profiling (.+?) (-?\d+|\[[-\d, ]*\]|\([-\d, ]*\)), shapes=.*Error occurred: (.*))",
     failed},
    {tactic_failed,
     R"(\[Auto[Tt]un+er\]:? *Skipping tactic (.+?) (-?\d+|\[[-\d, ]*\]|\([-\d, ]*\)) while ranking \S+: (.*))",
     failed},
    {tactic_failed,
     R"(\[Auto[Tt]un+er\]:? *Single-pair run failed for .*runner=([^,]+), tactic=(-?\d+|\[[-\d, ]*\]|\([-\d, ]*\)), shapes=.*Error: (.*))",
     failed},
    {tactic_works,
     R"(\[Auto[Tt]un+er\]:? *profiling (\S+|<.+>) (-?\d+|\[[-\d, ]*\]|\([-\d, ]*\)), shapes=.*avg_time ([-\w.]+))",
     worked},
    {tactic_works,
     R"(\[Auto[Tt]un+er\]:? *Candidate: .*runner=([^,]+), tactic=(-?\d+|\[[-\d, ]*\]|\([-\d, ]*\)), shapes=.*time=([-\w.]+?)(?:ms|$))",
     worked},
    {tactics_skipped, R"(\[Auto[Tt]un+er\]:? *Skipped (\d+) unsupported tactic\(s\) for ([\w:.]+))",
     skipped},
    {tuning_started, R"(\[Auto[Tt]un+er\]:? *Autotuning process starts)", named},
    {tuning_ended, R"(\[Auto[Tt]un+er\]:? *Autotuning process ends)", named},
    {tuning_fallback, R"(\[Auto[Tt]un+er\]:? *No tuned config covers (\S+))", named},
    {tuning_fallback, R"(\[Auto[Tt]un+er\]:? *(\S+) using the fallback tactic, due to cache miss)",
     named},
    {cuda_error, R"(\[Auto[Tt]un+er\]:? *OOM detected, falling back to default tactic)",
     [](Fact& f, Captures, LineContext&) {
       f.code = 2;
       f.name = "tuner";
       return true;
     }},
    {cache_refused,
     R"(\[Auto[Tt]un+er\]:? *Cache file (\S+) was created in a different environment)", named},
    {cache_refused,
     R"(\[Auto[Tt]un+er\]:? *Not saving configs to (\S+): the file was created in a different environment)",
     named},
    {init_failed,
     R"((?i)failed to (?:initialize|run) (?:the )?(cutlass .{0,60}?)\.? *error: *(error \w+(?: \w+)?))",
     init},
    {init_failed,
     R"((?i)failed to (?:initialize|run) (?:the )?(gemm|cutlass .{0,60}?): status=(\d+))", init},
    {init_failed, R"((?:RuntimeError|Exception|CUTLASS_CHECK|cutlass\w*)\b.*\b(Error Internal)\b)",
     bare_status},
    {unsupported_tile, R"(Unsupported tile shape config (\d+) for MoE gemm)", digits},
    {occupancy_zero, R"(GPU lacks the shared memory resources to run (\w+) kernel)", named},
    {workspace_small, R"(Workspace is size (\d+) but only (\d+) were allocated)", asked_and_had},
    {smem_refused,
     R"(requires (\d+) bytes (?:of )?shared memory but (?:the )?device supports (\d+))",
     launcher_guard},
    {generated_file, R"(gemm_grouped_sm(\d+)_M(\d+)_BS_group\d+\.generated\.cu)", generated},
    {tile_named, R"((?:CtaShape|\b)(\d{2,3})x(\d{1,3})x(\d{2,3})B\b)", tile},
    {version_seen,
     R"((?i)flashinfer(?:[-_]python)?[-_ ]?(?:version)?["']?[ =:/v]{1,4}["']?(\d+\.\d+\.\d+(?:\.?(?:post|rc|dev)\d+)?))",
     version},
    {operands_seen, R"((?i)\b(nvfp4|mxfp8|mxfp4|wfp4afp8|__nv_fp4_e2m1, *__nv_fp4_e2m1)\b)",
     operands},
};

}  // namespace

const LineReader kTunerReader{"tuner of FlashInfer or TensorRT-LLM", kPatterns};

}  // namespace tilefit
