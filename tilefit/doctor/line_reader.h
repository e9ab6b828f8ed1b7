// SPDX-License-Identifier: Apache-2.0
// LineReader: one tool's lines. A row of patterns, each of which turns a line into a fact.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/log_fact.h"

namespace tilefit {

/// What a pattern captured, in the order of its groups; a group that took no part is empty.
using Captures = std::span<const std::string_view>;

/// What earlier lines of the same input said that a later one leaves out.
struct LineContext {
  std::string kernel, arch;
};

struct LinePattern {
  FactKind kind;
  const char* regex;  // RE2 syntax, searched for in the whole line
  /// Fills `fact` from the groups. False = the line says nothing after all.
  bool (*fill)(Fact& fact, Captures groups, LineContext& context);
};

struct LineReader {
  std::string_view name;
  std::span<const LinePattern> patterns;
};

/// A decimal or, after 0x, hexadecimal number, with thousands commas allowed; -1 where it is none
/// or too large for 64 bits.
std::int64_t number_of(std::string_view text);
/// "7", "[32, 15]" or "(1, 2)"; empty where it is none.
std::vector<int> tactic_of(std::string_view text);
/// "<a.b.MoERunner object at 0x7c..>" -> "MoERunner"
std::string class_of(std::string_view runner);
/// The CUDA error that a text names, by its name or its sentence; 0 where it names none.
int cuda_code_of(std::string_view text);
/// The text of a CUDA error code.
std::string_view cuda_text(int code);

}  // namespace tilefit
