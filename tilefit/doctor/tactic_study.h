// SPDX-License-Identifier: Apache-2.0
// TacticStudy: the tuner's log beside the list of what it tried. Which tactics fail, which work,
// what tells them apart, and whether the bytes of each agree.
#pragma once

#include <string_view>
#include <vector>

#include "tilefit/doctor/separate.h"
#include "tilefit/doctor/setting.h"
#include "tilefit/model/diagnosis.h"
#include "tilefit/model/tile_plan.h"

namespace tilefit {

/// Why a tactic failed, as far as its own line says.
enum class FailedBy : std::uint8_t { not_failed, init, no_kernel, sticky, other };

FailedBy failed_by(const Fact& fact);

struct StudiedTactic {
  Tactic tactic;
  TilePlan plan;
  FailedBy failed = FailedBy::not_failed;
  bool seen = false;  // in the log; else it is only not reported as failing
  const Fact* fact = nullptr;
};

struct TacticStudy {
  std::vector<StudiedTactic> tactics;  // of the list that are in play; empty without a list
  std::vector<const Fact*> undecoded;  // failures that no list explains
  std::vector<std::size_t> compared;   // tactics behind the observations
  Separation separation;
  bool all_seen = false;     // every working tactic was timed in the log
  std::string list_problem;  // why the list could not be used

  int count(FailedBy why) const;
};

/// `log` outlives the study.
TacticStudy study_tactics(const LogFacts& log, const Setting& setting);

/// Attributes by which tactics are told apart, in the order of Observation::values.
std::span<const std::string_view> tactic_attributes();

}  // namespace tilefit
