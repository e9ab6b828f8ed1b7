// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

LineIndex::LineIndex(const LogFacts& log) {
  for (const Fact& f : log.facts)
    for (const Evidence& e : f.places) entries_[f.kind].push_back({e.input, e.line, &f});
  for (auto& [kind, entries] : entries_)
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.input, a.line) < std::pair(b.input, b.line);
    });
}

const Fact* LineIndex::near(const Evidence& at, FactKind kind, std::int64_t lines) const {
  const auto found = entries_.find(kind);
  if (found == entries_.end()) return nullptr;
  const auto& all = found->second;
  const auto first = std::lower_bound(
      all.begin(), all.end(), std::pair(at.input, at.line - lines),
      [](const Entry& e, const auto& place) { return std::pair(e.input, e.line) < place; });
  const bool close =
      first != all.end() && first->input == at.input && first->line <= at.line + lines;
  return close ? first->fact : nullptr;
}

const Fact* Patient::near(const Fact& fact, FactKind kind, std::int64_t lines) const {
  for (const Evidence& place : fact.places)
    if (const Fact* found = index.near(place, kind, lines)) return found;
  return nullptr;
}

std::vector<const Rule*> all_rules() {
  std::vector<const Rule*> all;
  for (const auto rules : {tuner_rules(), smem_rules(), cuda_rules(), serving_rules()})
    for (const Rule& r : rules) all.push_back(&r);
  return all;
}

Finding finding_of(const Rule& rule, const Fact& fact, Severity severity, Confidence confidence) {
  Finding f{.id = rule.id,
            .trouble = rule.trouble,
            .severity = severity,
            .subject = fact.name,
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
    return fmt::format("{} B, {} B more than the {} B a block may have", bytes, bytes - limit,
                       limit);
  return fmt::format("{} B of {} B, {} B to spare", bytes, limit, limit - bytes);
}

}  // namespace tilefit
