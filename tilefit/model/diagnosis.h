// SPDX-License-Identifier: Apache-2.0
// Diagnosis: findings, and the causal chain from a symptom to a fix. What `tilefit doctor` prints.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/log_fact.h"

namespace tilefit {

enum class Severity : std::uint8_t { error, warning, note, harmless };
/// How far a statement goes. proved: exact bytes, or the program's own, agree with all that was
/// seen.
enum class Confidence : std::uint8_t { proved, consistent, refuted, unknown };
enum class Link : std::uint8_t { symptom, separation, bytes, component, fix };
/// What kind of trouble a finding is.
enum class Trouble : std::uint8_t {
  smem_over_limit,
  too_few_stages,
  no_kernel_for_tile,
  no_kernel_image,
  wrong_arch_assumption,
  wrong_limit_constant,
  registers_exceeded,
  poisoned_context,
  device_out_of_memory,
  missing_tuned_config,
  stale_cache,
  harmless_skip,
  slow_choice,
  backend_choice,
  wrong_results,
  compiler_failure,
  opt_in_missing,
  incomplete_tuning,
  foreign_gpu,
  unknown,
};

inline constexpr std::array<std::string_view, 4> kSeverityNames{"error", "warning", "note",
                                                                "harmless"};
inline constexpr std::array<std::string_view, 4> kConfidenceNames{"proved", "consistent", "refuted",
                                                                  "unknown"};
inline constexpr std::array<std::string_view, 5> kLinkNames{"symptom", "separation", "bytes",
                                                            "component", "fix"};
inline constexpr std::array<std::string_view, 20> kTroubleNames{
    "smem_over_limit",       "too_few_stages",       "no_kernel_for_tile", "no_kernel_image",
    "wrong_arch_assumption", "wrong_limit_constant", "registers_exceeded", "poisoned_context",
    "device_out_of_memory",  "missing_tuned_config", "stale_cache",        "harmless_skip",
    "slow_choice",           "backend_choice",       "wrong_results",      "compiler_failure",
    "opt_in_missing",        "incomplete_tuning",    "foreign_gpu",        "unknown"};

constexpr std::string_view name(Severity v) { return kSeverityNames[static_cast<std::size_t>(v)]; }
constexpr std::string_view name(Confidence v) {
  return kConfidenceNames[static_cast<std::size_t>(v)];
}
constexpr std::string_view name(Link v) { return kLinkNames[static_cast<std::size_t>(v)]; }
constexpr std::string_view name(Trouble v) { return kTroubleNames[static_cast<std::size_t>(v)]; }

struct Finding {
  std::string_view id{};  // of the rule; `tilefit explain ID`
  Trouble trouble = Trouble::unknown;
  Severity severity = Severity::note;
  std::string subject{};
  std::string arch{};  // empty = not known
  Bytes required = -1, limit = -1;
  int stages = 0;  // that fit; 0 = not known
  std::vector<Evidence> evidence{};
  std::int64_t times = 1;
  std::string why{};
  std::vector<std::string> fixes{};
  Confidence confidence = Confidence::unknown;
};

struct ChainLink {
  Link link{};
  Confidence status = Confidence::unknown;
  std::string text{};
};

struct Diagnosis {
  std::vector<DoctorInput> inputs{};
  std::string gpu{};                // as named; empty = not known
  std::string arch{};               // "sm_120"; empty = not known
  std::vector<Finding> findings{};  // worst first
  std::vector<ChainLink> chain{};   // empty where no tactic tells
  std::int64_t dropped = 0;

  /// True where something is wrong: what is harmless or only noted does not count.
  bool has_findings() const {
    for (const Finding& f : findings)
      if (f.severity == Severity::error || f.severity == Severity::warning) return true;
    return false;
  }
};

}  // namespace tilefit
