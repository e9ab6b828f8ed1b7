// SPDX-License-Identifier: Apache-2.0
// Rules: each reads the facts and adds what it finds. A rule has an id, a section of
// docs/findings.md, a case that it finds and one that it must leave alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/doctor/setting.h"
#include "tilefit/doctor/tactic_study.h"
#include "tilefit/model/diagnosis.h"

namespace tilefit {

/// What every rule sees.
struct Patient {
  const LogFacts& log;
  const Setting& setting;
  const TacticStudy& study;

  bool has(FactKind kind) const { return first(kind) != nullptr; }
  const Fact* first(FactKind kind) const;
  std::vector<const Fact*> all(FactKind kind) const;
  /// Another fact of `kind` from the same line, or at most `lines` after it in the same input.
  const Fact* near(const Fact& fact, FactKind kind, std::int64_t lines = 0) const;
};

struct Rule {
  std::string_view id;     // "tactic-over-limit"
  std::string_view title;  // one line
  Trouble trouble;
  void (*check)(const Patient& patient, const Rule& rule, std::vector<Finding>& out);
};

std::span<const Rule> tuner_rules();
std::span<const Rule> smem_rules();
std::span<const Rule> cuda_rules();
std::span<const Rule> serving_rules();

/// Every rule, in the order in which they are tried.
std::vector<const Rule*> all_rules();

/// A finding of `rule` with the fact's lines as evidence.
Finding finding_of(const Rule& rule, const Fact& fact, Severity severity, Confidence confidence);
/// `bytes` beside the limit: "163840 B, 62464 B more than the 101376 B of a block"
std::string against_limit(Bytes bytes, Bytes limit);

}  // namespace tilefit
