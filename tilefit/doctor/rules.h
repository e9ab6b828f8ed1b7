// SPDX-License-Identifier: Apache-2.0
// Rules: each reads the facts and adds what it finds. A rule has an id, a section of
// docs/findings.md, a case that it finds and one that it must leave alone.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/doctor/setting.h"
#include "tilefit/doctor/tactic_study.h"
#include "tilefit/model/diagnosis.h"

namespace tilefit {

/// Where each kind of fact stands, sorted, so that neighbours are found without a search of all.
class LineIndex {
 public:
  explicit LineIndex(const LogFacts& log);
  /// A fact of `kind` at most `lines` away; null where there is none.
  const Fact* near(const Evidence& at, FactKind kind, std::int64_t lines) const;

 private:
  struct Entry {
    int input;
    std::int64_t line;
    const Fact* fact;
  };
  std::map<FactKind, std::vector<Entry>> entries_;
};

/// What every rule sees.
struct Patient {
  const LogFacts& log;
  const Setting& setting;
  const TacticStudy& study;
  const LineIndex& index;

  bool has(FactKind kind) const { return first(kind) != nullptr; }
  const Fact* first(FactKind kind) const;
  std::vector<const Fact*> all(FactKind kind) const;
  /// A fact of `kind` from the same line, or at most `lines` away from it in the same input.
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
