// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/separate.h"

#include <gmock/gmock.h>

#include <array>

namespace tilefit {
namespace {

constexpr std::array<std::string_view, 2> kNames{"epilogue", "tile"};

TEST(Separate, OneAttributeIsEnough) {
  const std::vector<Observation> all{{"1", {"none", "a"}, false},
                                     {"2", {"finalize", "a"}, true},
                                     {"3", {"none", "b"}, false},
                                     {"4", {"finalize", "b"}, true}};
  const Separation s = separate(all, 2);
  EXPECT_EQ(story_text(s.best, kNames), "epilogue=finalize");
  EXPECT_TRUE(s.refuted.empty());
}

TEST(Separate, TwoAreNeededAndEachAloneIsRefuted) {
  const std::vector<Observation> all{{"1", {"none", "a"}, false},
                                     {"2", {"finalize", "a"}, false},
                                     {"3", {"none", "b"}, false},
                                     {"4", {"finalize", "b"}, true}};
  const Separation s = separate(all, 2);
  EXPECT_EQ(story_text(s.best, kNames), "epilogue=finalize & tile=b");
  ASSERT_EQ(s.refuted.size(), 2U);
  EXPECT_THAT(s.refuted[0].working, testing::ElementsAre(1U));
}

TEST(Separate, TheSameAttributesOnBothSidesSeparateNothing) {
  const std::vector<Observation> all{
      {"1", {"none", "a"}, false}, {"2", {"none", "a"}, true}, {"3", {"none", "b"}, false}};
  EXPECT_TRUE(separate(all, 2).best.terms.empty());
}

TEST(Separate, NothingWorksOrNothingFails) {
  EXPECT_TRUE(separate(std::vector<Observation>{{"1", {"none", "a"}, true}}, 2).best.terms.empty());
  EXPECT_TRUE(
      separate(std::vector<Observation>{{"1", {"none", "a"}, false}}, 2).best.terms.empty());
  EXPECT_TRUE(separate({}, 2).best.terms.empty());
}

}  // namespace
}  // namespace tilefit
