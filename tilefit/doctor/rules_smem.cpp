// SPDX-License-Identifier: Apache-2.0
// Lines that say how many bytes were wanted: over the limit, skipped with no harm, on somebody
// else's GPU, against a limit that is not this GPU's.
#include <fmt/format.h>

#include <algorithm>

#include "tilefit/doctor/rules.h"
#include "tilefit/doctor/triton_stages.h"

namespace tilefit {
namespace {

constexpr Bytes kDefaultLimit = 49152;  // without opting in
constexpr std::int64_t kNear = 12;      // lines between a message and what belongs to it

bool skipped(const Patient& p, const Fact& f) {
  const Fact* skip = p.near(f, FactKind::skipped_choice, 2);
  return skip != nullptr || std::any_of(f.places.begin(), f.places.end(), [](const Evidence& e) {
           return e.text.find("select_algorithm") != std::string::npos ||
                  e.text.find("No valid triton configs") != std::string::npos;
         });
}

bool known_limit(Bytes limit) { return !archs_with_limit(limit).empty(); }

/// Turing's limit and an AMD workgroup's LDS are both 65536.
bool foreign(const Patient& p, Bytes limit) {
  if (limit <= 0 || limit == kDefaultLimit) return false;
  const bool turing = p.setting.arch != nullptr && p.setting.arch->smem_per_block == limit;
  return (limit == 65536 && !turing) || !known_limit(limit);
}

/// The limit that counts: the line's own, else that of the GPU.
Bytes limit_of(const Patient& p, const Fact& f) {
  return f.limit > 0 ? f.limit : p.setting.limit();
}

std::string who_has(Bytes limit) {
  const std::string archs = archs_with_limit(limit);
  return archs.empty() ? "" : fmt::format(" ({} B is the limit of {})", limit, archs);
}

std::string roomier(Bytes bytes) {
  Bytes most = 0;
  for (const Arch& a : kArchs) most = std::max(most, a.smem_per_block);
  if (bytes > most) return fmt::format("no NVIDIA GPU known here has room: the most is {} B", most);
  for (const Arch& a : kArchs)
    if (a.smem_per_block >= bytes)
      return fmt::format("{} has room: {} B", a.name, a.smem_per_block);
  return "";
}

void add_stages(const Patient& p, const Fact& fact, Finding& f) {
  const Fact* config = p.near(fact, FactKind::triton_config, kNear);
  if (config == nullptr) config = p.first(FactKind::triton_config);
  if (config == nullptr) return;
  const TritonStages s = triton_stages(*config, f.required, f.limit);
  if (s.element_bytes == 0) return;
  f.why += fmt::format(". {}x{}x{} with {} stages: {} x {} B of A and B", config->block_m,
                       config->block_n, config->block_k, config->num_stages, s.buffers, s.stage);
  if (!s.exact()) f.why += fmt::format(" + {} B more (estimated to stay)", s.extra);
  f.stages = s.fit;
  if (s.fit > 0)
    f.fixes.insert(f.fixes.begin(),
                   fmt::format("num_stages {} instead of {}: {} B{}", s.fit, config->num_stages,
                               s.bytes_at_fit, s.exact() ? "" : ", estimated"));
}

void stated_over(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_refused)) {
    const Bytes limit = limit_of(p, *fact);
    if (fact->detail == "threads" || fact->detail == "tensor memory") continue;
    if (skipped(p, *fact) || foreign(p, limit) || fact->limit == kDefaultLimit) continue;
    if (fact->required > 0 && limit > 0 && fact->required <= limit) continue;
    Finding f =
        finding_of(rule, *fact, Severity::error,
                   fact->required > 0 && limit > 0 ? Confidence::proved : Confidence::unknown);
    f.limit = limit;
    f.subject = fact->name + " kernel";
    if (fact->required > 0 && limit > 0)
      f.why =
          against_limit(fact->required, limit) + who_has(limit) + "; " + roomier(fact->required);
    else
      f.why = "refused for its shared memory; the line does not hold " +
              std::string(fact->required > 0 ? "the limit: add --gpu" : "the bytes");
    f.fixes = {"smaller blocks or fewer stages; these are bytes of a block, not device memory"};
    add_stages(p, *fact, f);
    out.push_back(std::move(f));
  }
}

void stated_fits(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_refused)) {
    const Bytes limit = limit_of(p, *fact);
    if (foreign(p, limit) || fact->required <= 0 || limit <= 0 || fact->required > limit) continue;
    Finding f = finding_of(rule, *fact, Severity::warning, Confidence::refuted);
    f.limit = limit;
    f.why =
        against_limit(fact->required, limit) +
        ": this number fits; static bytes are perhaps missing from it, or the attribute was not "
        "set for this very function";
    f.trouble = Trouble::opt_in_missing;
    f.fixes = {"set cudaFuncAttributeMaxDynamicSharedMemorySize on the function that is launched",
               "count static + dynamic bytes together"};
    out.push_back(std::move(f));
  }
}

void candidate_skipped(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_refused)) {
    if (!skipped(p, *fact) || foreign(p, limit_of(p, *fact))) continue;
    Finding f = finding_of(rule, *fact, Severity::harmless, Confidence::proved);
    f.limit = limit_of(p, *fact);
    f.subject = fact->name + " candidate";
    f.why = (f.limit > 0 ? against_limit(fact->required, f.limit) + who_has(f.limit) + ". " : "") +
            "A tuner tried it, skipped it and went on: nothing failed";
    f.fixes = {"nothing to do"};
    add_stages(p, *fact, f);
    out.push_back(std::move(f));
  }
}

void foreign_gpu(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_refused)) {
    const Bytes limit = limit_of(p, *fact);
    if (!foreign(p, limit) || fact->detail == "threads" || fact->detail == "tensor memory")
      continue;
    Finding f = finding_of(rule, *fact, skipped(p, *fact) ? Severity::harmless : Severity::error,
                           Confidence::consistent);
    f.limit = limit;
    f.why = against_limit(fact->required, limit) +
            (limit == 65536 ? ". 65536 B is an AMD GPU's LDS, or sm_75; the line does not say which"
                            : ". No NVIDIA GPU known here has that limit");
    f.fixes = {"the limit is printed as read: smaller blocks or fewer stages for that GPU"};
    add_stages(p, *fact, f);
    out.push_back(std::move(f));
  }
}

void opt_in(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_refused)) {
    if (fact->limit != kDefaultLimit) continue;
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::consistent);
    const Bytes most = p.setting.limit();
    f.why = fmt::format(
        "49152 B is what a block may have without opting in{}",
        most > 0 ? fmt::format("; on {} it may opt in to {} B", p.setting.arch->name, most) : "");
    if (most > 0 && fact->required > most) f.trouble = Trouble::smem_over_limit;
    f.fixes = {
        "read cudaDevAttrMaxSharedMemoryPerBlockOptin and set "
        "cudaFuncAttributeMaxDynamicSharedMemorySize before the launch"};
    out.push_back(std::move(f));
  }
}

void other_limit(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  if (p.setting.arch == nullptr) return;
  for (const Fact* fact : p.all(FactKind::smem_refused)) {
    if (fact->limit <= 0 || fact->limit == p.setting.limit() || fact->limit == kDefaultLimit ||
        foreign(p, fact->limit))
      continue;
    Finding f = finding_of(rule, *fact, Severity::warning, Confidence::consistent);
    f.why = fmt::format(
        "the line's limit is {} B{}; {} has {} B", fact->limit, who_has(fact->limit),
        p.setting.gpu.empty() ? p.setting.arch->name : p.setting.gpu, p.setting.limit());
    f.fixes = {"ask the device, not a table: cudaDevAttrMaxSharedMemoryPerBlockOptin"};
    out.push_back(std::move(f));
  }
}

void threads(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::smem_refused)) {
    if (fact->detail != "threads" && fact->detail != "tensor memory") continue;
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::proved);
    f.required = f.limit = -1;
    f.why = fmt::format("{} {} wanted, {} at most: not shared memory", fact->required, fact->detail,
                        fact->limit);
    f.fixes = {fact->detail == "threads" ? "fewer warps: num_warps x 32 threads"
                                         : "smaller blocks of the accumulator"};
    out.push_back(std::move(f));
  }
}

void no_occupancy(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  for (const Fact* fact : p.all(FactKind::occupancy_zero)) {
    Finding f = finding_of(rule, *fact, Severity::error, Confidence::consistent);
    f.subject = fact->name + " kernel";
    f.limit = p.setting.limit();
    f.why =
        "the occupancy query gave 0 blocks: the kernel's shared memory is over the limit, or its "
        "attribute was not set before the query; the bytes are not printed";
    f.fixes = {"another backend for this GPU, or a smaller tile: tilefit plan prices each"};
    out.push_back(std::move(f));
  }
}

void wrong_query(const Patient& p, const Rule& rule, std::vector<Finding>& out) {
  constexpr Bytes kMost = 1 << 20;
  for (const Fact* fact : p.all(FactKind::optin_seen)) {
    const bool absurd = fact->limit == 0 || fact->limit > kMost;
    const bool other = p.setting.arch != nullptr && fact->limit != p.setting.limit();
    if (!absurd && !other && known_limit(fact->limit)) continue;
    Finding f = finding_of(rule, *fact, Severity::error,
                           absurd ? Confidence::proved : Confidence::consistent);
    f.subject = "the device query";
    f.why = absurd ? fmt::format(
                         "{} is no opt-in limit of any GPU; the property structure was read with "
                         "another layout",
                         fact->limit)
                   : fmt::format(
                         "{} B was read as opt-in limit{}", fact->limit,
                         p.setting.arch != nullptr
                             ? fmt::format("; {} has {} B", p.setting.arch->name, p.setting.limit())
                             : "");
    f.fixes = {
        "use cudaDeviceGetAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), and reject 0 and "
        "values over 1 MiB"};
    out.push_back(std::move(f));
  }
}

constexpr Rule kRules[] = {
    {"stated-over-limit", "a program says that it wants more than a block may have",
     Trouble::smem_over_limit, stated_over},
    {"stated-fits", "refused, though the bytes it names fit", Trouble::opt_in_missing, stated_fits},
    {"candidate-skipped", "a tuner skipped a candidate that does not fit", Trouble::harmless_skip,
     candidate_skipped},
    {"foreign-gpu", "the limit belongs to no NVIDIA GPU, or to sm_75", Trouble::foreign_gpu,
     foreign_gpu},
    {"opt-in-missing", "the default limit of 49152 bytes was met", Trouble::opt_in_missing, opt_in},
    {"limit-of-another-gpu", "the limit in the line is not this GPU's",
     Trouble::wrong_limit_constant, other_limit},
    {"not-bytes", "threads or tensor memory, not shared memory", Trouble::registers_exceeded,
     threads},
    {"occupancy-zero", "the launcher's occupancy query gave no block", Trouble::smem_over_limit,
     no_occupancy},
    {"device-query-wrong", "the opt-in limit was read wrongly", Trouble::wrong_limit_constant,
     wrong_query},
};

}  // namespace

std::span<const Rule> smem_rules() { return kRules; }

}  // namespace tilefit
