// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/tactic_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "tilefit/doctor/line_reader.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

constexpr std::array<std::string_view, 7> kAttributes{
    "epilogue", "swap_ab", "tile", "cluster", "schedule", "epilogue_schedule", "gemm"};

bool is_sticky(int code) { return code == 700 || code == 715 || code == 719; }

Observation observed(const StudiedTactic& s) {
  const Tile& t = s.tactic.tile;
  return {.label = fmt::format("tactic {}", s.tactic.number),
          .values = {std::string(name(t.epilogue)), t.swap_ab ? "true" : "false",
                     fmt::format("{}x{}x{}", t.m, t.n, t.k),
                     fmt::format("{}x{}x{}", t.cluster.m, t.cluster.n, t.cluster.k),
                     std::string(name(t.schedule)), std::string(name(t.epilogue_schedule)),
                     fmt::format("{}", s.tactic.gemm)},
          .failed = s.failed == FailedBy::init};
}

bool is_moe(const Fact& f) {
  return f.name.find("MoE") != std::string::npos || f.name.find("moe") != std::string::npos;
}

bool has(const LogFacts& log, FactKind kind) {
  return std::any_of(log.facts.begin(), log.facts.end(),
                     [&](const Fact& f) { return f.kind == kind; });
}

TileRequest request_of(const Tactic& t, const Setting& s) {
  TileRequest r;
  r.arch = t.kernel_arch != nullptr ? t.kernel_arch : s.arch;
  r.tile = t.tile;
  r.builder = row(*s.list).builder;
  r.limit = s.arch->smem_per_block;
  return r;
}

/// What the log says of one number; failures win over timings (other ranks, other shapes).
struct Seen {
  const Fact* failed = nullptr;
  const Fact* works = nullptr;
};

std::map<int, Seen> seen_numbers(const LogFacts& log, std::vector<const Fact*>& undecoded) {
  std::map<int, Seen> seen;
  for (const Fact& f : log.facts) {
    if (f.kind != FactKind::tactic_failed && f.kind != FactKind::tactic_works) continue;
    const bool failed = f.kind == FactKind::tactic_failed;
    if (f.tactic.size() != 1 || !is_moe(f)) {
      if (failed) undecoded.push_back(&f);
      continue;
    }
    Seen& s = seen[f.tactic.front()];
    (failed ? s.failed : s.works) = &f;
  }
  return seen;
}

void compare(TacticStudy& study) {
  std::vector<Observation> observations;
  study.all_seen = true;
  for (std::size_t i = 0; i < study.tactics.size(); ++i) {
    const StudiedTactic& s = study.tactics[i];
    if (s.failed != FailedBy::not_failed && s.failed != FailedBy::init) continue;
    observations.push_back(observed(s));
    study.compared.push_back(i);
    study.all_seen = study.all_seen && s.seen;
  }
  study.separation = separate(observations, kAttributes.size());
}

}  // namespace

std::span<const std::string_view> tactic_attributes() { return kAttributes; }

FailedBy failed_by(const Fact& f) {
  if (is_sticky(f.code)) return FailedBy::sticky;
  const auto says = [&](std::string_view words) {
    return f.detail.find(words) != std::string::npos;
  };
  if (says("Unsupported tile")) return FailedBy::no_kernel;
  if (f.code != 0 && f.code != 1) return FailedBy::other;
  if (says("nitialize") || says("Error Internal") || says("shared memory") || f.code == 1)
    return FailedBy::init;
  return FailedBy::other;
}

int TacticStudy::count(FailedBy why) const {
  return static_cast<int>(std::count_if(tactics.begin(), tactics.end(),
                                        [&](const StudiedTactic& s) { return s.failed == why; }));
}

TacticStudy study_tactics(const LogFacts& log, const Setting& setting) {
  TacticStudy study;
  const std::map<int, Seen> seen = seen_numbers(log, study.undecoded);
  if (seen.empty()) return study;
  const auto undecodable = [&](std::string why) {
    study.list_problem = std::move(why);
    for (const auto& [number, s] : seen)
      if (s.failed != nullptr) study.undecoded.push_back(s.failed);
  };
  if (setting.arch == nullptr) return undecodable("the GPU is not known: add --gpu"), study;
  if (!setting.list) {
    undecodable(setting.other_release.empty()
                    ? "the log does not name its release: add --tiles flashinfer-VERSION"
                    : "no list was derived for flashinfer " + setting.other_release);
    return study;
  }
  const Result<std::vector<Tactic>> list =
      tactics_of(*setting.list, *setting.arch, setting.operands);
  if (!list) return undecodable(list.error().what + ": " + list.error().fix), study;
  if (seen.rbegin()->first >= static_cast<int>(list->size()))
    return undecodable(fmt::format("tactic {} is in the log, and the list of {} ends at {}",
                                   seen.rbegin()->first, row(*setting.list).name,
                                   list->size() - 1)),
           study;
  const bool ended = has(log, FactKind::tuning_ended);
  for (const Tactic& t : *list) {
    const auto at = seen.find(t.number);
    if (at == seen.end() && !ended) continue;
    StudiedTactic s{.tactic = t, .plan = plan_tile(request_of(t, setting))};
    if (at != seen.end()) {
      s.seen = true;
      s.fact = at->second.failed != nullptr ? at->second.failed : at->second.works;
      if (at->second.failed != nullptr) s.failed = failed_by(*at->second.failed);
      // What also works does not fail for its size; rule tactic-intermittent speaks of it.
      if (s.failed == FailedBy::init && at->second.works != nullptr) s.failed = FailedBy::other;
    }
    study.tactics.push_back(std::move(s));
  }
  compare(study);
  return study;
}

}  // namespace tilefit
