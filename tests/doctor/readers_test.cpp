// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/readers.h"

#include <gmock/gmock.h>
#include <re2/re2.h>

namespace tilefit {
namespace {

LogFacts read(std::string_view text) {
  LogReader reader;
  reader.open("log");
  reader.feed(text);
  reader.close();
  return std::move(reader).facts();
}

TEST(Readers, EveryPatternCompilesAndCapturesNoMoreThanFive) {
  for (const LineReader* reader : {&kTunerReader, &kFrontendReader, &kCudaReader, &kServingReader})
    for (const LinePattern& p : reader->patterns) {
      RE2::Options options;
      options.set_encoding(RE2::Options::EncodingLatin1);
      const RE2 regex(p.regex, options);
      EXPECT_TRUE(regex.ok()) << p.regex << ": " << regex.error();
      EXPECT_LE(regex.NumberOfCapturingGroups(), 5) << p.regex;
    }
}

TEST(Readers, EqualFactsAreCountedAndKeepTheirFirstPlaces) {
  std::string text;
  for (int i = 0; i < 10; ++i)
    text += "rank " + std::to_string(i) + ": Setting smem size to 82944\nother\n";
  const LogFacts log = read(text);
  ASSERT_EQ(log.facts.size(), 1U);
  EXPECT_EQ(log.facts[0].times, 10);
  ASSERT_EQ(log.facts[0].places.size(), LogReader::kMostPlaces);
  EXPECT_EQ(log.facts[0].places[2].line, 5);
  EXPECT_EQ(log.facts[0].places[2].text, "rank 2: Setting smem size to 82944");
  EXPECT_EQ(log.inputs[0].lines, 20);
}

TEST(Readers, FoldedLinesCountAsOftenAsTheySay) {
  const LogFacts log = read("Setting smem size to 82944 (x5)\nSetting smem size to 82944\n");
  ASSERT_EQ(log.facts.size(), 1U);
  EXPECT_EQ(log.facts[0].times, 6);
}

TEST(Readers, ThreeSpellingsOfATunerAndTwoOfATactic) {
  for (const char* prefix : {"[Autotuner]: ", "[AutoTuner]: ", "[AutoTunner] "}) {
    const LogFacts log = read(std::string(prefix) +
                              "Skipping tactic <a.b.MoERunner object at 0x7f> [32, 15], due to "
                              "failure while profiling: x");
    ASSERT_EQ(log.facts.size(), 1U) << prefix;
    EXPECT_EQ(log.facts[0].name, "MoERunner");
    EXPECT_THAT(log.facts[0].tactic, testing::ElementsAre(32, 15));
    EXPECT_EQ(log.facts[0].detail, "x");
  }
}

TEST(Readers, NumbersThatDoNotFitAreNotNumbers) {
  EXPECT_EQ(number_of("99999999999999999999"), -1);
  EXPECT_EQ(number_of("0x18c00"), 101376);
  EXPECT_EQ(number_of("102,400"), 102400);
  EXPECT_EQ(number_of(""), -1);
  EXPECT_TRUE(read("Setting smem size to 99999999999999999999\n").facts.empty());
}

TEST(Readers, WhatIsUnknownIsSaidToBeUnknown) {
  EXPECT_EQ(read("hello\n").inputs[0].kind, "nothing known");
  EXPECT_THAT(read("Setting smem size to 1\n").inputs[0].kind, testing::HasSubstr("CUDA"));
}

}  // namespace
}  // namespace tilefit
