// SPDX-License-Identifier: Apache-2.0
// Errors of the CUDA runtime, the assembler and the builders: most of these are not shared memory,
// and what each is instead.
#include <fmt/format.h>

#include <algorithm>

#include "tilefit/doctor/line_reader.h"
#include "tilefit/doctor/rules.h"

namespace tilefit {
namespace {

constexpr std::int64_t kNear = 30;

/// The tuner's lines are judged by the tuner's rules.
bool of_tactic(const Patient& p, const Fact& f) {
  return p.near(f, FactKind::tactic_failed) != nullptr;
}

template <class... Codes>
std::vector<const Fact*> errors(const Patient& p, Codes... codes) {
  std::vector<const Fact*> out;
  for (const Fact* f : p.all(FactKind::cuda_error))
    if (((f->code == codes) || ...) && !of_tactic(p, *f)) out.push_back(f);
  return out;
}

void traced_size(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_set)) {
    const Bytes limit = p.setting.limit();
    const bool over = limit > 0 && fact->required > limit;
    Finding f = finding_of(rule, *fact, over ? Severity::error : Severity::note,
                           limit <= 0 ? Confidence::unknown : Confidence::proved);
    f.subject = "traced kernel";
    f.limit = limit;
    f.why = limit <= 0 ? fmt::format("asks for {} B; add --gpu to compare", fact->required)
                       : against_limit(fact->required, limit);
    if (over)
      f.trouble = Trouble::smem_over_limit;
    else if (limit > 0)
      f.why += ": whatever failed after this line, it was not too much shared memory";
    if (const Fact* refused = p.near(*fact, FactKind::smem_set_refused, kNear);
        refused != nullptr && !over)
      f.why += fmt::format("; the attribute call returned \"{}\" (CUDA error {})", refused->detail,
                           refused->code);
    f.fixes =
        over ? std::vector<std::string>{"fewer stages or a smaller tile: tilefit plan prices each"}
             : std::vector<std::string>{
                   "look at the first CUDA error; compute-sanitizer finds the call"};
    out.push_back(std::move(f));
  }
}

void set_refused(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_set_refused)) {
    if (fact->code != 1 || p.near(*fact, FactKind::smem_set, kNear) != nullptr) continue;
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::consistent);
    f.subject = "cudaFuncSetAttribute";
    f.why = "refused as too large (or static + dynamic is), but the bytes are not in the log";
    f.fixes = {"CUTLASS_DEBUG_TRACE_LEVEL=1 prints the bytes",
               "tilefit plan with the tile computes them"};
    out.push_back(std::move(f));
  }
}

/// Evidence that something else than bytes explains a bare status.
bool explained(const Patient& p) {
  const auto codes = errors(p, 209, 98, 400, 700, 715, 719, 2);
  return !codes.empty() || p.has(FactKind::arch_unsupported) || p.has(FactKind::feature_missing) ||
         p.has(FactKind::smem_set);
}

void bare_status(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::init_failed)) {
    if (of_tactic(p, *fact)) continue;
    Finding f = finding_of(rule, *fact, Severity::warning, Confidence::unknown);
    f.subject = fact->name.empty() ? "a CUTLASS kernel" : fact->name;
    f.limit = p.setting.limit();
    f.why = "\"" + fact->detail +
            "\" alone does not say why: too much shared memory is the usual "
            "cause, code for another GPU and an earlier error give the same text";
    if (explained(p)) f.why += "; other findings here explain it better than shared memory";
    f.fixes = {"CUTLASS_DEBUG_TRACE_LEVEL=1, or compute-sanitizer --report-api-errors all",
               "tilefit scan LIBRARY --gpu NAME: does it hold code for this GPU, and how many "
               "bytes do its tiles need?"};
    out.push_back(std::move(f));
  }
}

void invalid_argument(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : errors(p, 1)) {
    const bool attribute = fact->name.find("SetAttribute") != std::string::npos;
    Finding f = finding_of(rule, *fact, Severity::warning,
                           attribute ? Confidence::consistent : Confidence::unknown);
    f.subject = fact->name.empty() ? "CUDA error 1" : fact->name;
    f.why = attribute
                ? "the attribute call refused a size over the opt-in limit, or static + "
                  "dynamic bytes are over it; the bytes are not printed"
                : "\"invalid argument\" is every refusal of shared memory, but also more than "
                  "1024 threads: the line alone does not decide";
    if (attribute) f.trouble = Trouble::smem_over_limit;
    f.fixes = {"tilefit plan with the tile, or tilefit trace, gives the bytes"};
    out.push_back(std::move(f));
  }
}

void no_image(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : errors(p, 209, 98)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = "the library";
    f.arch = p.setting.arch != nullptr ? p.setting.arch->name : "";
    f.why =
        "it holds no code for this GPU; nothing to do with shared memory. Code for sm_120a runs "
        "on 12.0 only, for sm_120f on all of 12.x, plain sm_120 has no FP4 instructions";
    f.fixes = {"tilefit scan LIBRARY --gpu NAME lists what it holds",
               f.arch.empty() ? "build for the GPU at hand"
                              : fmt::format("build with TORCH_CUDA_ARCH_LIST={}.{}a",
                                            p.setting.arch->cc / 10, p.setting.arch->cc % 10)};
    out.push_back(std::move(f));
  }
}

void registers(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : errors(p, 701)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = "a launch";
    f.why =
        "registers x threads are more than the 65536 of a block; too much shared memory never "
        "gives this error. At 1024 threads a kernel may have 64 registers";
    f.fixes = {"fewer threads, or __launch_bounds__(threads) so that the compiler stays below"};
    out.push_back(std::move(f));
  }
}

/// Registers are given out a warp at a time, rounded up to 8 a thread.
void usage(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  constexpr std::int64_t kRegisters = 65536, kWarp = 32, kStep = 8, kMostWarps = 32;
  for (const Fact* fact : p.all(FactKind::kernel_usage)) {
    const std::int64_t rounded =
        (std::max<std::int64_t>(fact->number, 1) + kStep - 1) / kStep * kStep;
    const std::int64_t warps = kRegisters / (rounded * kWarp) / 4 * 4;
    if (warps >= kMostWarps) continue;
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::proved);
    f.why = fmt::format("{} registers, given out as {}: at most {} warps or {} threads a block",
                        fact->number, rounded, warps, warps * kWarp);
    f.fixes = {"launch no more threads than that; dynamic shared memory is not in this output"};
    out.push_back(std::move(f));
  }
}

void device_memory(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : errors(p, 2)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = "device memory";
    f.why = "the GPU's memory ran out; a block's shared memory is another thing";
    f.fixes = {"smaller batches while tuning, a smaller cache, or a lower memory fraction"};
    out.push_back(std::move(f));
  }
  for (const Fact* fact : p.all(FactKind::workspace_small)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = "workspace";
    f.why = fmt::format("a workspace of {} B in device memory is wanted, {} B were given",
                        fact->required, fact->limit);
    f.fixes = {"a larger workspace buffer; not shared memory"};
    out.push_back(std::move(f));
  }
}

void memory_fault(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : errors(p, 700, 715, 719)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = fmt::format("CUDA error {}", fact->code);
    f.why = fmt::format(
        "\"{}\" while a kernel ran: it was launched, so its shared memory fitted. "
        "Every later call of the process fails with it",
        cuda_text(fact->code));
    f.fixes = {"compute-sanitizer shows the kernel and the address; only the first error counts"};
    out.push_back(std::move(f));
  }
}

void handle(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  auto facts = errors(p, 400);
  for (const Fact* f : p.all(FactKind::smem_set_refused))
    if (f->code == 400) facts.push_back(f);
  if (facts.empty()) return;
  Finding f = finding_of(rule, *facts.front(), Severity::error, Confidence::proved);
  f.subject = "CUDA error 400";
  f.why =
      "the kernel is not in this context: built for another target, or two CUDA runtimes in one "
      "process. Too much shared memory gives error 1, never this";
  f.fixes = {"tilefit scan LIBRARY --gpu NAME", "one CUDA runtime in the process (ldd)"};
  out.push_back(std::move(f));
}

void feature(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::feature_missing)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = fact->detail;
    const bool plain = !fact->arch.empty() && fact->arch.back() >= '0' && fact->arch.back() <= '9';
    f.why = fmt::format("the target {} does not have it; a compiler's refusal, not shared memory",
                        fact->arch);
    f.fixes = {plain ? fmt::format("compile for {0}a (this GPU) or {0}f (its family)", fact->arch)
                     : "leave this file out for this GPU: it is another architecture's kernel"};
    out.push_back(std::move(f));
  }
}

void unknown_target(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::target_unknown)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = fact->arch;
    f.why = "this ptxas is older than the target; a toolchain problem, not shared memory";
    f.fixes = {
        "use ptxas of CUDA 13 (or 12.9): TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas for Triton"};
    out.push_back(std::move(f));
  }
}

void static_refused(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::static_refused)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.why = against_limit(fact->required, fact->limit) +
            ", counted by ptxas: static shared memory, at compile time";
    f.fixes = {"make the array dynamic and opt in at launch"};
    out.push_back(std::move(f));
  }
}

void asserts(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::stages_assert)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.subject = "a CUTLASS builder";
    f.why = "room for fewer than two stages, so the kernel does not compile";
    f.fixes = {"tilefit plan with this tile prints what a stage takes", "a smaller tile or K"};
    out.push_back(std::move(f));
  }
  for (const Fact* fact : p.all(FactKind::smem_assert)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.trouble = Trouble::smem_over_limit;
    f.subject = "a CUTLASS kernel";
    f.limit = p.setting.limit();
    f.why = "its storage is over the capacity; found at compile time, so it never launches";
    f.fixes = {"fewer stages or a smaller tile: tilefit plan prices each"};
    out.push_back(std::move(f));
  }
}

void profiled(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  const Fact* fixed = p.first(FactKind::profiled_smem);
  for (const Fact* fact : p.all(FactKind::profiled_smem)) {
    if (fact->detail != "dynamic" || fixed == nullptr) continue;
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::proved);
    f.subject = "profiled kernel";
    f.limit = p.setting.limit();
    const Bytes whole =
        fact->required / 1024 * 1024;  // sizes of such kernels are multiples of 1024
    const Bytes near = fact->required - whole <= fact->number          ? whole
                       : whole + 1024 - fact->required <= fact->number ? whole + 1024
                                                                       : -1;
    f.why = fmt::format(
        "about {} B (Nsight's Kbyte is 1000 bytes{})", fact->required,
        near > 0 ? fmt::format("; {} B is the multiple of 1024 within its rounding", near) : "");
    if (near > 0) f.required = near;
    if (f.limit > 0) f.why += ": " + against_limit(f.required, f.limit);
    f.fixes = {"nothing to do: the kernel ran"};
    out.push_back(std::move(f));
  }
}

constexpr Rule kRules[] = {
    {"traced-size", "a CUTLASS trace names the bytes asked for", Trouble::wrong_results,
     traced_size},
    {"attribute-refused", "the attribute call was refused, bytes unknown", Trouble::smem_over_limit,
     set_refused},
    {"init-error-alone", "an initialisation error without bytes", Trouble::unknown, bare_status},
    {"invalid-argument", "\"invalid argument\" does not prove shared memory", Trouble::unknown,
     invalid_argument},
    {"no-kernel-image", "no code for this GPU", Trouble::no_kernel_image, no_image},
    {"registers-exceeded", "registers x threads, error 701", Trouble::registers_exceeded,
     registers},
    {"registers-per-block", "how many threads a kernel's registers allow",
     Trouble::registers_exceeded, usage},
    {"device-memory", "the GPU's memory, not shared memory", Trouble::device_out_of_memory,
     device_memory},
    {"memory-fault", "a kernel ran and faulted", Trouble::wrong_results, memory_fault},
    {"invalid-handle", "error 400: module or context", Trouble::no_kernel_image, handle},
    {"target-lacks-feature", "the assembler's target lacks an instruction",
     Trouble::no_kernel_image, feature},
    {"target-unknown", "ptxas does not know the target", Trouble::compiler_failure, unknown_target},
    {"static-over-limit", "ptxas refuses static shared memory", Trouble::smem_over_limit,
     static_refused},
    {"builder-assert", "a builder refuses at compile time", Trouble::too_few_stages, asserts},
    {"profiled-size", "Nsight's bytes are decimal", Trouble::slow_choice, profiled},
};

}  // namespace

std::span<const Rule> cuda_rules() { return kRules; }

}  // namespace tilefit
