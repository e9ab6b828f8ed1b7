// SPDX-License-Identifier: Apache-2.0
// One value of a flag or a CSV field: words of a list, whole numbers, extents such as 128x256x128.
// Errors quote the value, shortened and printable, and show how to write it; `where` is the
// caller's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/nearest.h"
#include "tilefit/model/result.h"
#include "tilefit/model/smem_plan.h"

namespace tilefit {

using MaybeError = std::optional<Error>;

/// 'text' in quotes, of bounded length, without control characters.
std::string quoted(std::string_view text);

/// A word and the value it stands for; several words may stand for one value.
template <class T>
struct Word {
  std::string_view text;
  T value;
};

template <class T>
MaybeError set_word(T& to, std::string_view what, std::string_view text,
                    std::span<const Word<T>> words) {
  for (const Word<T>& w : words)
    if (w.text == text) {
      to = w.value;
      return {};
    }
  std::vector<std::string_view> known;
  for (const Word<T>& w : words) known.push_back(w.text);
  return Error{"unknown " + std::string(what) + " " + quoted(text), "", suggest(text, known)};
}

/// A whole positive number up to `most`; nothing else in the text.
std::optional<int> number(std::string_view text, int most);
/// What is wrong with `text` as such a number: "'0' is no positive whole number".
std::string number_problem(std::string_view text, int most);
MaybeError number_error(std::string_view what, std::string_view text, int most,
                        std::string_view example);

/// What a list of extents is called, how it is written, and the most that each may be.
struct Extents {
  std::string_view what, form, example;
  int most;
};

/// "128x256x128" into as many numbers as `to` holds.
MaybeError set_extents(std::span<int> to, const Extents& e, std::string_view text);

MaybeError set_bytes(Bytes& to, std::string_view what, std::string_view text);

}  // namespace tilefit
