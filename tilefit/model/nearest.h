// SPDX-License-Identifier: Apache-2.0
// "did you mean": the nearest of a few known words, for errors about unknown names.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tilefit {

/// Edits (insert, delete, replace) between two words, cut off at 64 characters each.
inline int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, 64);
  b = b.substr(0, 64);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int corner = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int replaced = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, corner + 1});
    }
  }
  return row.back();
}

/// "did you mean 'nvfp4'? known: nvfp4, mxfp4, ..." The question only where a word is near.
inline std::string suggest(std::string_view text, const std::vector<std::string_view>& known) {
  std::string_view nearest;
  int least = static_cast<int>(std::max<std::size_t>(2, text.size() / 3)) + 1;
  std::string list;
  for (const std::string_view word : known) {
    const int distance = edit_distance(text, word);
    if (distance < least) {
      least = distance;
      nearest = word;
    }
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  return (nearest.empty() ? "" : "did you mean '" + std::string(nearest) + "'? ") +
         "known: " + list;
}

}  // namespace tilefit
