// SPDX-License-Identifier: Apache-2.0
// Output files: whole or not there, and an error for every write that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tilefit/cli/output.h"

namespace tilefit {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  fs::path folder_ = fs::path(testing::TempDir()) /
                     ("tilefit_output_" +
                      std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
  OutputTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OutputTest() override { fs::remove_all(folder_); }

  std::string file() const { return folder_ / "out.json"; }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
};

TEST_F(OutputTest, AppearsWhole) {
  Result<Output> out = Output::open(file());
  ASSERT_TRUE(out);
  EXPECT_TRUE(out->write("one\n"));
  EXPECT_TRUE(out->write("two\n"));
  EXPECT_FALSE(fs::exists(file()));  // not before the end
  EXPECT_FALSE(out->finish());
  EXPECT_EQ(content(file()), "one\ntwo\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, UnfinishedLeavesNothing) {
  std::ofstream(file()) << "old";
  {
    Result<Output> out = Output::open(file());
    ASSERT_TRUE(out);
    out->write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(content(file()), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, ReplacesAndKeepsTheMode) {
  std::ofstream(file()) << "a longer text than the new one";
  ::chmod(file().c_str(), 0640);
  Result<Output> out = Output::open(file());
  ASSERT_TRUE(out);
  out->write("new");
  EXPECT_FALSE(out->finish());
  EXPECT_EQ(content(file()), "new");
  struct stat there {};
  ASSERT_EQ(::stat(file().c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0640u);
}

TEST_F(OutputTest, NewFilesHaveTheUsualMode) {
  const mode_t mask = ::umask(022);
  Result<Output> out = Output::open(file());
  ASSERT_TRUE(out);
  EXPECT_FALSE(out->finish());
  ::umask(mask);
  struct stat there {};
  ASSERT_EQ(::stat(file().c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0644u);
}

TEST_F(OutputTest, FullDeviceIsAnError) {
  Result<Output> out = Output::open("/dev/full");
  ASSERT_TRUE(out);
  out->write("x");
  const auto error = out->finish();
  ASSERT_TRUE(error);
  EXPECT_THAT(error->what, HasSubstr("cannot write '/dev/full': No space left on device"));
  EXPECT_THAT(error->fix, HasSubstr("room"));
}

TEST_F(OutputTest, FullDeviceIsSeenWhileWriting) {
  Result<Output> out = Output::open("/dev/full");
  ASSERT_TRUE(out);
  bool ok = true;
  for (int i = 0; i < 1000 && ok; ++i) ok = out->write(std::string(4096, 'x'));
  EXPECT_FALSE(ok);
  EXPECT_TRUE(out->finish());
}

TEST_F(OutputTest, WhatCannotBeOpened) {
  const auto missing = Output::open((folder_ / "no" / "out").string());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("No such file or directory"));
  const auto folder = Output::open(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().what, HasSubstr("is a folder"));
  const auto below_a_file = Output::open("/dev/null/out");
  ASSERT_FALSE(below_a_file);
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputTest, FolderThatVanishesLeavesAnError) {
  const fs::path inner = folder_ / "inner";
  fs::create_directories(inner);
  Result<Output> out = Output::open((inner / "out").string());
  ASSERT_TRUE(out);
  out->write("x");
  fs::remove_all(inner);
  const auto error = out->finish();
  ASSERT_TRUE(error);
  EXPECT_THAT(error->what, HasSubstr("cannot write"));
}

}  // namespace
}  // namespace tilefit
