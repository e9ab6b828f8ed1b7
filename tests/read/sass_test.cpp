// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/sass.h"

#include <gtest/gtest.h>

#include "tests/read/builders.h"

namespace tilefit {
namespace {

ByteView view(const std::string& code) { return ByteView(std::string_view(code)); }

const std::string kExit = instruction(0x94d), kBranch = instruction(0x947),
                  kNop = instruction(0x918);

TEST(Sass, BodiesThatOnlyStopDoNothing) {
  EXPECT_TRUE(does_nothing(view(instruction(0xa02) + kExit + kBranch + kNop), 75));
  EXPECT_TRUE(does_nothing(view(instruction(0xb82) + instruction(0x95c) + kExit), 120));
  EXPECT_TRUE(does_nothing(view(instruction(0x387) + instruction(0x343) + kExit), 90)) << "prints";
}

TEST(Sass, StoresAtomicsAndUnknownOperationsDoSomething) {
  for (const int opcode : {0x986, 0x985, 0x98e, 0x388, 0x9a8, 0x1fe})
    EXPECT_FALSE(does_nothing(view(instruction(static_cast<std::uint16_t>(opcode)) + kExit), 90))
        << std::hex << opcode;
}

TEST(Sass, NoCodeAndLargeCodeAreNotTakenForStubs) {
  EXPECT_FALSE(does_nothing({}, 90));
  std::string large;
  while (large.size() <= static_cast<std::size_t>(kMaxIdleBody)) large += kNop;
  EXPECT_FALSE(does_nothing(view(large), 90));
}

TEST(Sass, TrapsAreSeen) {
  EXPECT_TRUE(has_trap(view(instruction(0x95c) + kExit), 90));
  EXPECT_FALSE(has_trap(view(kExit), 90));
}

TEST(Sass, TheConstantThatAKernelStores) {
  EXPECT_EQ(
      stored_constant(view(instruction(0x802, 5, 0, 64656) + instruction(0x986, 0, 2, 5) + kExit)),
      64656);
  EXPECT_EQ(stored_constant(
                view(instruction(0x431, 5, 0xff, 127120) + instruction(0x986, 0, 2, 5) + kExit)),
            127120);
}

TEST(Sass, AConstantIsNotTakenWhereTheStoreMayHoldAnother) {
  const std::string store = instruction(0x986, 0, 2, 5), move = instruction(0x802, 5, 0, 1);
  EXPECT_EQ(stored_constant(view(move + store + store)), std::nullopt) << "two stores";
  EXPECT_EQ(stored_constant(view(move + move + store)), std::nullopt) << "written twice";
  EXPECT_EQ(stored_constant(view(move + instruction(0x210, 5) + store)), std::nullopt)
      << "computed";
  EXPECT_EQ(stored_constant(view(instruction(0x802, 6, 0, 1) + store)), std::nullopt)
      << "another register";
  EXPECT_EQ(stored_constant(view(kExit)), std::nullopt);
}

}  // namespace
}  // namespace tilefit
