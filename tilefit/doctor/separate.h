// SPDX-License-Identifier: Apache-2.0
// separate: which attributes tell what fails from what works? The shortest conjunction of
// `attribute in {values}` that holds for all that fail and for nothing that works; and, for each
// simpler story, what refutes it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilefit {

/// One thing observed: a value for each attribute, and whether it failed.
struct Observation {
  std::string label;                // "tactic 14"
  std::vector<std::string> values;  // one per attribute
  bool failed = false;
};

/// attribute in {values}
struct Term {
  std::size_t attribute = 0;
  std::vector<std::string> values;
};

/// A conjunction of terms and what it covers. Indices are into the observations.
struct Story {
  std::vector<Term> terms;
  std::vector<std::size_t> failing, working;  // that it holds for

  bool separates() const { return !failing.empty() && working.empty(); }
};

struct Separation {
  Story best;  // empty terms: none separates
  std::vector<Story>
      refuted;  // each with fewer terms, true for all that fail, and for some that work
};

/// At most kMostAttributes attributes are tried together.
inline constexpr std::size_t kMostAttributes = 12;
Separation separate(std::span<const Observation> observations, std::size_t attributes);

/// "epilogue=finalize & tile in {128x256x128, 256x128x128}"
std::string story_text(const Story& story, std::span<const std::string_view> names);

}  // namespace tilefit
