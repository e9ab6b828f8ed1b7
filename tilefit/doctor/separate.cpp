// SPDX-License-Identifier: Apache-2.0
// A term's values are those that fail; a conjunction of such terms holds for everything that fails,
// so it only remains to see whether something that works slips through. Subsets are tried smallest
// first; among equals the one with fewer values, then the one whose attributes come first.
#include "tilefit/doctor/separate.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tilefit {
namespace {

std::vector<std::string> failing_values(std::span<const Observation> all, std::size_t attribute) {
  std::vector<std::string> values;
  for (const Observation& o : all)
    if (o.failed) values.push_back(o.values[attribute]);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool holds(const Story& story, const Observation& o) {
  return std::all_of(story.terms.begin(), story.terms.end(), [&](const Term& t) {
    return std::binary_search(t.values.begin(), t.values.end(), o.values[t.attribute]);
  });
}

Story story_of(std::uint32_t subset, std::span<const Term> terms,
               std::span<const Observation> all) {
  Story story;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (subset >> i & 1U) story.terms.push_back(terms[i]);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (holds(story, all[i])) (all[i].failed ? story.failing : story.working).push_back(i);
  return story;
}

std::size_t value_count(const Story& s) {
  std::size_t n = 0;
  for (const Term& t : s.terms) n += t.values.size();
  return n;
}

/// Terms that leave something out; an attribute that everything shares tells nothing.
std::vector<Term> useful_terms(std::span<const Observation> all, std::size_t attributes) {
  std::vector<Term> terms;
  for (std::size_t a = 0; a < attributes && terms.size() < kMostAttributes; ++a) {
    Term t{a, failing_values(all, a)};
    const bool excludes = std::any_of(all.begin(), all.end(), [&](const Observation& o) {
      return !std::binary_search(t.values.begin(), t.values.end(), o.values[a]);
    });
    if (excludes && !t.values.empty()) terms.push_back(std::move(t));
  }
  return terms;
}

}  // namespace

Separation separate(std::span<const Observation> all, std::size_t attributes) {
  Separation result;
  const std::vector<Term> terms = useful_terms(all, attributes);
  const std::uint32_t end = 1U << terms.size();
  for (int size = 1; size <= static_cast<int>(terms.size()); ++size) {
    for (std::uint32_t subset = 1; subset < end; ++subset) {
      if (std::popcount(subset) != size) continue;
      Story story = story_of(subset, terms, all);
      if (!story.separates()) {
        result.refuted.push_back(std::move(story));
        continue;
      }
      if (result.best.terms.empty() || value_count(story) < value_count(result.best))
        result.best = std::move(story);
    }
    if (!result.best.terms.empty()) break;
  }
  // Of the stories as long as the answer only the answer matters.
  std::erase_if(result.refuted, [&](const Story& s) {
    return !result.best.terms.empty() && s.terms.size() >= result.best.terms.size();
  });
  return result;
}

std::string story_text(const Story& story, std::span<const std::string_view> names) {
  std::string text;
  for (const Term& t : story.terms) {
    if (!text.empty()) text += " & ";
    text += names[t.attribute];
    if (t.values.size() == 1) {
      text += "=" + t.values.front();
      continue;
    }
    text += " in {";
    for (std::size_t i = 0; i < t.values.size(); ++i) text += (i > 0 ? ", " : "") + t.values[i];
    text += "}";
  }
  return text;
}

}  // namespace tilefit
