// SPDX-License-Identifier: Apache-2.0
// Serving stacks: a configuration nobody tuned, a backend that was not taken, a build without this
// GPU, and words that only sound like a block's shared memory.
#include <fmt/format.h>

#include <array>

#include "tilefit/doctor/line_reader.h"
#include "tilefit/doctor/rules.h"

namespace tilefit {
namespace {

/// The part of "E=8,N=4096,device_name=NVIDIA_H200,dtype=..json" behind `key`.
std::string part(const std::string& file, std::string_view key) {
  const auto at = file.find(key);
  if (at == std::string::npos) return "";
  const auto end = file.find_first_of(",.", at);
  return file.substr(at + key.size(), end == std::string::npos ? end : end - at - key.size());
}

void missing_config(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::config_missing)) {
    const bool too_big = p.has(FactKind::smem_refused);
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::proved);
    const std::string device = part(fact->name, "device_name=");
    f.why = fmt::format("no tuned file for {}, so a default configuration runs: {}",
                        device.empty() ? "this GPU" : device,
                        too_big ? "a default made for larger GPUs can ask for too much shared "
                                  "memory, as another finding here shows"
                                : "slower perhaps, not wrong; how much, only a measurement tells "
                                  "(0 to 3 % in one public table)");
    f.fixes = {
        "tune and save the file under that name, or copy that of the nearest GPU with the same "
        "limit"};
    out.push_back(std::move(f));
  }
  for (const Fact* fact : p.all(FactKind::config_fallback)) {
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::proved);
    f.why = "the file of another Triton release is used instead: its stages can need other bytes";
    f.fixes = {"tune again for this Triton release"};
    out.push_back(std::move(f));
  }
}

void backend(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::backend_refused)) {
    Finding f = finding_of(rule, *fact, Severity::warning, Confidence::consistent);
    f.subject = fact->detail;
    f.why =
        "a backend was ruled out by the checkpoint's scheme, an architecture check or a build; "
        "not by shared memory";
    f.fixes = {"compare the scheme and GPU in the line with the backend's list of both"};
    out.push_back(std::move(f));
  }
  for (const Fact* fact : p.all(FactKind::backend_chosen)) {
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::proved);
    f.why = "chosen for the experts";
    f.fixes = {"the same log at DEBUG says why the others were not"};
    out.push_back(std::move(f));
  }
}

void host_wait(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::host_shm_wait)) {
    const bool tuning = p.has(FactKind::tuning_started);
    Finding f = finding_of(rule, *fact, Severity::note, Confidence::proved);
    f.subject = "memory shared between processes of the host";
    f.why = std::string("not a GPU block's shared memory: a worker does not answer") +
            (tuning ? "; it is tuning, or hangs in it" : "");
    f.fixes = {"find the silent worker: py-spy dump --pid PID"};
    out.push_back(std::move(f));
  }
}

void not_in_build(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::arch_unsupported)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.why = fmt::format("this build of PyTorch has no code for {}", fact->arch);
    f.fixes = {"install a build for a newer CUDA (12.8 or later for sm_120)"};
    out.push_back(std::move(f));
  }
}

/// "sm_120a" runs on 12.0 alone, "sm_120f" on its family, "sm_120" on 12.x from 12.0; PTX forward.
bool runs_on(std::string_view target, const Arch& gpu) {
  const Arch* made_for = arch_named(target);
  if (made_for == nullptr) return true;  // not judged
  if (target.ends_with("a")) return made_for->cc == gpu.cc;
  if (target.starts_with("compute_")) return made_for->cc <= gpu.cc;
  return made_for->cc / 10 == gpu.cc / 10 && made_for->cc <= gpu.cc;
}

void targets(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  if (p.setting.arch == nullptr) return;
  const Arch& gpu = *p.setting.arch;
  std::string held;
  const Fact* first = nullptr;
  for (const Fact* fact : p.all(FactKind::arch_list)) {
    if (arch_named(fact->detail) == nullptr) continue;
    if (runs_on(fact->detail, gpu)) return;
    if (first == nullptr) first = fact;
    held += (held.empty() ? "" : ", ") + fact->detail;
  }
  if (first == nullptr) return;
  Finding f = finding_of(rule, *first, Severity::error, Confidence::proved);
  f.subject = "targets " + held;
  f.arch = gpu.name;
  f.why = fmt::format("none of them runs on {}: a targets are for one compute capability only",
                      gpu.name);
  f.fixes = {fmt::format("build for {0}a, or {0}f of its family", gpu.name)};
  out.push_back(std::move(f));
}

/// Plain targets of Blackwell lack the FP4 instructions.
void plain_target(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::arch_list)) {
    const Arch* a = arch_named(fact->detail);
    const char last = fact->detail.empty() ? 'a' : fact->detail.back();
    if (a == nullptr || fact->name != "build" || a->cc < 100 || last < '0' || last > '9') continue;
    Finding f = finding_of(rule, *fact, Severity::warning, Confidence::consistent);
    f.subject = "target " + fact->detail;
    f.arch = a->name;
    f.why = "block-scaled FP4 and FP8 instructions exist only for targets with a or f";
    f.fixes = {fmt::format("{}a, or compute_{}f with code=sm_{}f (CUDA 12.9 or later)",
                           fact->detail, a->cc, a->cc)};
    out.push_back(std::move(f));
  }
}

void symbol(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::symbol_missing)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::consistent);
    f.why =
        "declared but not compiled for the architectures that this build was asked for; the "
        "library does not load";
    f.fixes = {"build for the architecture whose file defines it, or leave its feature out"};
    out.push_back(std::move(f));
  }
}

void host_error(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::host_error)) {
    const bool compiler = fact->name == "the compiler";
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::consistent);
    if (compiler) f.trouble = Trouble::compiler_failure;
    f.why = compiler ? "the compiler itself failed: not a candidate that asked for too much"
                     : "an error of the program on the host: no kernel failed";
    f.fixes = {compiler ? "skip this candidate and keep the results so far"
                        : "the frames above it name the line"};
    out.push_back(std::move(f));
  }
}

/// What is publicly known of a release on an architecture. Versions are inclusive.
struct KnownRelease {
  std::string_view package, first, last;
  int cc;
  Trouble trouble;
  std::string_view what, fix;
};

constexpr KnownRelease kKnownReleases[] = {
    {"flashinfer", "0.6.10", "0.6.15", 90, Trouble::wrong_results,
     "a TMA descriptor is changed in place while another block may read it, so results can be "
     "wrong "
     "(flashinfer issue 5438, fixed by its pull request 3738)",
     "0.6.16 or later"},
    {"flashinfer", "0.6.7", "0.6.9", 120, Trouble::slow_choice,
     "a fixed filter takes tiles out of the tuner's list that would run; decoding is slower for it "
     "(flashinfer issue 2992: 86 to 73 tokens a second)",
     "0.6.10 or later"},
};

/// "0.6.15.post1" as three numbers; what follows them does not count.
std::array<std::int64_t, 3> numbers(std::string_view version) {
  std::array<std::int64_t, 3> out{};
  for (std::int64_t& n : out) {
    const auto dot = version.find('.');
    n = number_of(version.substr(0, dot));
    if (dot == std::string_view::npos) break;
    version.remove_prefix(dot + 1);
  }
  return out;
}

void known_release(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  if (p.setting.arch == nullptr) return;
  for (const Fact* fact : p.all(FactKind::version_seen))
    for (const KnownRelease& k : kKnownReleases) {
      const auto v = numbers(fact->detail);
      if (fact->name != k.package || k.cc != p.setting.arch->cc) continue;
      if (v < numbers(k.first) || v > numbers(k.last)) continue;
      Finding f = finding_of(rule, *fact, Severity::warning, Confidence::consistent);
      f.trouble = k.trouble;
      f.subject = fmt::format("{} {}", k.package, fact->detail);
      f.why = std::string(k.what);
      f.fixes = {std::string(k.fix)};
      out.push_back(std::move(f));
    }
}

constexpr Rule kRules[] = {
    {"tuned-config-missing", "no tuned file for this GPU", Trouble::missing_tuned_config,
     missing_config},
    {"backend", "which backend was taken or ruled out", Trouble::backend_choice, backend},
    {"host-shared-memory", "shared memory between processes, not a block's",
     Trouble::incomplete_tuning, host_wait},
    {"gpu-not-in-build", "PyTorch has no code for this GPU", Trouble::no_kernel_image,
     not_in_build},
    {"targets-do-not-run", "none of the targets runs on this GPU", Trouble::no_kernel_image,
     targets},
    {"plain-target", "a Blackwell target without a or f", Trouble::no_kernel_image, plain_target},
    {"symbol-missing", "a symbol that no file defines", Trouble::no_kernel_image, symbol},
    {"release-known", "a release with a known fault on this GPU", Trouble::wrong_results,
     known_release},
    {"host-error", "an error on the host", Trouble::unknown, host_error},
};

}  // namespace

std::span<const Rule> serving_rules() { return kRules; }

}  // namespace tilefit
