// SPDX-License-Identifier: Apache-2.0
// Lines of files: ends of every kind, lines too long, files of any size in bounded memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tilefit/cli/lines.h"

namespace tilefit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LinesTest : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "tilefit_lines_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name();
  ~LinesTest() override { std::filesystem::remove(path_); }

  Lines open(std::string_view content) {
    std::ofstream(path_, std::ios::binary) << content;
    Result<Lines> lines = Lines::open(path_);
    EXPECT_TRUE(lines) << lines.error().what;
    return *std::move(lines);
  }

  std::vector<std::string> texts(std::string_view content) {
    Lines lines = open(content);
    std::vector<std::string> out;
    while (const auto line = lines.next())
      out.push_back(line->too_long ? "(too long)" : std::string(line->text));
    EXPECT_FALSE(lines.error());
    EXPECT_FALSE(lines.next());  // the end stays the end
    return out;
  }
};

TEST_F(LinesTest, EndsOfEveryKind) {
  EXPECT_THAT(texts(""), ElementsAre());
  EXPECT_THAT(texts("\n"), ElementsAre(""));
  EXPECT_THAT(texts("a"), ElementsAre("a"));
  EXPECT_THAT(texts("a\n"), ElementsAre("a"));
  EXPECT_THAT(texts("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(texts("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(texts("a\r\nb\r\n"), ElementsAre("a", "b"));
  EXPECT_THAT(texts("a\r\nb\r"), ElementsAre("a", "b"));
  EXPECT_THAT(texts("\r\n\r"), ElementsAre("", ""));
  EXPECT_THAT(texts("a\rb\n"), ElementsAre("a\rb"));
  EXPECT_THAT(texts(std::string_view("a\0b\nc", 5)), ElementsAre(std::string("a\0b", 3), "c"));
}

TEST_F(LinesTest, LongestLineAndOneByteMore) {
  const std::string longest(Lines::kMaxLine, 'x'), longer(Lines::kMaxLine + 1, 'y');
  EXPECT_THAT(texts(longest), ElementsAre(longest));
  EXPECT_THAT(texts(longest + "\nb"), ElementsAre(longest, "b"));
  EXPECT_THAT(texts(longest + "\r\nb"), ElementsAre(longest, "b"));
  EXPECT_THAT(texts(longer), ElementsAre("(too long)"));
  EXPECT_THAT(texts("a\n" + longer + "\nb\n" + longer + longer + longer + "\nc"),
              ElementsAre("a", "(too long)", "b", "(too long)", "c"));
}

/// Every line length against every place of the block's end.
TEST_F(LinesTest, LinesAcrossBlocks) {
  std::string content;
  std::vector<std::string> expected;
  for (std::size_t i = 0; content.size() < 9 * Lines::kMaxLine; ++i) {
    expected.emplace_back((i * 7919) % 65'537, static_cast<char>('a' + i % 26));
    content += expected.back() + "\n";
  }
  EXPECT_EQ(texts(content), expected);
}

long peak_kib() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

TEST_F(LinesTest, LineOf100MegabytesInBoundedMemory) {
  {
    std::ofstream file(path_, std::ios::binary);
    const std::string block(1 << 20, 'z');
    file << "head\n";
    for (int i = 0; i < 100; ++i) file << block;
    file << "\ntail\n";
  }
  Result<Lines> lines = Lines::open(path_);
  ASSERT_TRUE(lines);
  const long before = peak_kib();
  EXPECT_EQ(lines->next()->text, "head");
  const auto line = lines->next();
  ASSERT_TRUE(line);
  EXPECT_TRUE(line->too_long);
  EXPECT_LE(line->text.size(), Lines::kMaxLine);
  EXPECT_EQ(lines->next()->text, "tail");
  EXPECT_FALSE(lines->next());
  EXPECT_LT(peak_kib() - before, 8 * 1024);
}

TEST_F(LinesTest, WhatCannotBeRead) {
  const auto missing = Lines::open(path_ + "/nowhere");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("cannot read"));
  EXPECT_EQ(missing.error().where, "--from");
  const auto folder = Lines::open(testing::TempDir());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().what, HasSubstr("is a folder"));
}

/// A file that opens and fails while it is read: the kernel's view of memory that is not mapped.
TEST_F(LinesTest, ReadErrorIsReported) {
  Result<Lines> lines = Lines::open("/proc/self/mem");
  if (!lines) GTEST_SKIP() << "no /proc/self/mem here";
  EXPECT_FALSE(lines->next());
  ASSERT_TRUE(lines->error());
  EXPECT_THAT(lines->error()->what, HasSubstr("reading '/proc/self/mem' failed"));
}

}  // namespace
}  // namespace tilefit
