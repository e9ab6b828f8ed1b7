// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilefit {

const Fact* Patient::first(FactKind kind) const {
  for (const Fact& f : log.facts)
    if (f.kind == kind) return &f;
  return nullptr;
}

std::vector<const Fact*> Patient::all(FactKind kind) const {
  std::vector<const Fact*> out;
  for (const Fact& f : log.facts)
    if (f.kind == kind) out.push_back(&f);
  return out;
}

const Fact* Patient::near(const Fact& fact, FactKind kind, std::int64_t lines) const {
  for (const Fact& f : log.facts) {
    if (f.kind != kind) continue;
    for (const Evidence& a : fact.places)
      for (const Evidence& b : f.places)
        if (a.input == b.input && b.line >= a.line - lines && b.line <= a.line + lines) return &f;
  }
  return nullptr;
}

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> all;
  for (const auto rules : {tuner_rules(), smem_rules(), cuda_rules(), serving_rules()})
    for (const Rule& r : rules) all.push_back(&r);
  return all;
}

Finding finding_of(const Rule& rule, const Fact& fact, Severity severity, Confidence confidence) {
  Finding f{.id = rule.id, .trouble = rule.trouble, .severity = severity, .subject = fact.name,
            .arch = fact.arch};
  f.required = fact.required;
  f.limit = fact.limit;
  f.evidence = fact.places;
  f.times = fact.times;
  f.confidence = confidence;
  return f;
}

std::string against_limit(Bytes bytes, Bytes limit) {
  if (bytes > limit)
    return fmt::format("{} B, {} B more than the {} B a block may have", bytes, bytes - limit, limit);
  return fmt::format("{} B of {} B, {} B to spare", bytes, limit, limit - bytes);
}

}  // namespace tilefit
