// SPDX-License-Identifier: Apache-2.0
// How text is dressed: colour only on a terminal, block characters only where the locale has them.
#pragma once

#include <fmt/color.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tilefit {

struct TextStyle {
  bool color = false;
  bool unicode = false;
  int width = 100;  // columns
};

inline std::string paint(const TextStyle& style, fmt::text_style how, std::string_view text) {
  return style.color ? fmt::format(how, "{}", text) : std::string(text);
}

inline constexpr fmt::text_style kGood = fmt::fg(fmt::terminal_color::green);
inline constexpr fmt::text_style kBad = fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold;
inline constexpr fmt::text_style kFaint = fmt::emphasis::faint;
inline constexpr fmt::text_style kStrong = fmt::emphasis::bold;

/// `cells` of `width`, in eighths where the locale has block characters, in whole cells elsewhere.
std::string bar(const TextStyle& style, double share, int width);

}  // namespace tilefit
