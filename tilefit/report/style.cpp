// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/style.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilefit {

std::string bar(const TextStyle& style, double share, int width) {
  static constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double cells = std::clamp(share, 0.0, 1.0) * width;
  if (!style.unicode)
    return std::string(static_cast<std::size_t>(std::lround(std::ceil(cells - 0.5))), '#');
  const long eighths = std::lround(std::max(cells * 8, share > 0 ? 1.0 : 0.0));
  std::string out;
  for (long i = 0; i < eighths / 8; ++i) out += "█";
  return out + std::string(kEighths[static_cast<std::size_t>(eighths % 8)]);
}

}  // namespace tilefit
