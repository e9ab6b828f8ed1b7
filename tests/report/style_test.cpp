// SPDX-License-Identifier: Apache-2.0
// Bars and colours: what a style turns off is not there.
#include <gtest/gtest.h>

#include <string>

#include "tilefit/report/style.h"

namespace tilefit {
namespace {

TEST(Style, ColourOnlyWhereAskedFor) {
  EXPECT_EQ(paint({.color = false}, kBad, "text"), "text");
  const std::string painted = paint({.color = true}, kBad, "text");
  EXPECT_NE(painted.find("\x1b["), std::string::npos);
  EXPECT_NE(painted.find("text"), std::string::npos);
}

/// Columns that a bar of block characters (three bytes each) takes.
std::size_t columns(const std::string& bar) { return bar.size() / 3; }

TEST(Style, BarsGrowWithTheirShare) {
  for (const bool unicode : {false, true}) {
    const TextStyle style{.unicode = unicode};
    std::size_t before = 0;
    for (int share = 0; share <= 100; ++share) {
      const std::string bar = tilefit::bar(style, share / 100.0, 40);
      const std::size_t width = unicode ? columns(bar) : bar.size();
      EXPECT_GE(width, before) << share;
      EXPECT_LE(width, 40u) << share;
      before = width;
    }
    EXPECT_EQ(before, 40u);
  }
}

TEST(Style, BarsOutsideTheScaleStayInside) {
  EXPECT_EQ(bar({}, -1, 10), "");
  EXPECT_EQ(bar({}, 7, 10), "##########");
  EXPECT_EQ(bar({.unicode = true}, 0, 10), "");
  EXPECT_EQ(bar({.unicode = true}, 1e-9, 10), "▏");  // there, however small
}

}  // namespace
}  // namespace tilefit
