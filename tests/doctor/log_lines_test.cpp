// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/log_lines.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

namespace tilefit {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::int64_t, std::string>> lines_of(const std::vector<std::string>& blocks) {
  std::vector<std::pair<std::int64_t, std::string>> out;
  LogLines lines([&](std::int64_t n, std::string_view text) { out.emplace_back(n, text); });
  for (const std::string& b : blocks) lines.feed(b);
  lines.finish();
  return out;
}

TEST(LogLines, EndsOfEveryKind) {
  EXPECT_THAT(lines_of({"a\nb\r\n\nc"}), ElementsAre(Pair(1, "a"), Pair(2, "b"), Pair(4, "c")));
}

TEST(LogLines, RedrawsOfAProgressBarAreOneLineOfTheFile) {
  EXPECT_THAT(lines_of({"1%\r2%\r3%\nnext"}),
              ElementsAre(Pair(1, "1%"), Pair(1, "2%"), Pair(1, "3%"), Pair(2, "next")));
}

TEST(LogLines, BlocksMayEndAnywhere) {
  EXPECT_THAT(lines_of({"al", "pha\r", "\nbe", "ta"}),
              ElementsAre(Pair(1, "alpha"), Pair(2, "beta")));
}

TEST(LogLines, ColoursAndTitlesGo) {
  EXPECT_EQ(without_escapes("\x1b[1;31merror\x1b[0m \x1b]0;title\x07now\x01"), "error now");
  EXPECT_EQ(without_escapes("cut \x1b[3"), "cut ");
}

TEST(LogLines, LongLinesAreCutAndCounted) {
  std::size_t longest = 0;
  LogLines lines([&](std::int64_t, std::string_view text) { longest = text.size(); });
  for (int i = 0; i < 3; ++i) lines.feed(std::string(LogLines::kLongest / 2, 'x'));
  lines.feed("\n");
  lines.finish();
  EXPECT_EQ(longest, LogLines::kLongest);
  EXPECT_EQ(lines.skipped(), 1);
  EXPECT_EQ(lines.lines(), 1);
}

}  // namespace
}  // namespace tilefit
