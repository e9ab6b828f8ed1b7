// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/mangled.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/read/name_rows.h"
#include "tilefit/read/type_text.h"

namespace tilefit {
namespace {

std::string text_of(const std::string& symbol) {
  const Result<TypeTree> tree = parse_mangled(symbol);
  return tree ? type_text(*tree, tree->root) : tree.error().what;
}

TEST(Mangled, EveryKernelOfTheTruthIsRead) {
  int mangled = 0;
  for (const auto* rows : {&names::sized(), &names::in_host_code()}) {
    for (const names::Row& row : *rows) {
      if (!is_mangled(row.at("symbol"))) continue;
      ++mangled;
      const Result<TypeTree> tree = parse_mangled(row.at("symbol"));
      EXPECT_TRUE(tree) << row.at("symbol") << ": " << tree.error().what;
    }
  }
  EXPECT_EQ(mangled, 396 + 2825);
}

TEST(Mangled, TextIsThatOfCxxfilt) {
  ASSERT_GE(names::demangled().size(), 900u);
  for (const auto& [symbol, text] : names::demangled()) EXPECT_EQ(text_of(symbol), text) << symbol;
}

TEST(Mangled, BackReferencesAndPacks) {
  EXPECT_EQ(text_of("_Z1fIJiS_EEvv"),
            "not a mangled name that can be read: a back-reference to nothing at character 8");
  EXPECT_EQ(text_of("_Z1fIJijEEvDpT_"), "void f<int, unsigned int>(int, unsigned int)");
  EXPECT_EQ(text_of("_Z1fI1AIJiiEES1_EvT_T0_"),
            "void f<A<int, int>, A<int, int> >(A<int, int>, A<int, int>)");
  EXPECT_EQ(text_of("_Z1fIJEEvDpT_"), "void f<>()");
}

// Template parameters that a back-reference carries along mean what they mean where they stand.
TEST(Mangled, ParametersBelongToTheInnermostFunction) {
  EXPECT_EQ(text_of("_Z1fIZ1gIiEvRKT_EUlvE_EvS2_"),
            "void f<g<int>(int const&)::{lambda()#1}>(g<int>(int const&)::{lambda()#1} const&)");
}

TEST(Mangled, ClonesPartsAndVersionsKeepTheirName) {
  EXPECT_EQ(text_of("_Z3fooi.isra.0"), "foo(int)");
  EXPECT_EQ(text_of("_Z3fooi$229"), "foo(int)");
  EXPECT_EQ(text_of("_Z3fooi@GLIBCXX_3.4"), "foo(int)");
}

TEST(Mangled, WhatIsNotOneIsSaidToBe) {
  EXPECT_FALSE(is_mangled(""));
  EXPECT_FALSE(is_mangled("_Z"));
  EXPECT_FALSE(is_mangled("main"));
  EXPECT_EQ(parse_mangled("main").error().what, "not a mangled C++ name");
  EXPECT_EQ(
      text_of("_Z3fo"),
      "not a mangled name that can be read: an identifier of an impossible length at character 3");
  EXPECT_EQ(
      text_of("_Z99999999999999999999f"),
      "not a mangled name that can be read: an identifier of an impossible length at character 22");
}

TEST(Mangled, AnyCutIsReadOrRefused) {
  const std::string symbol = names::sized().front().at("symbol");
  for (std::size_t size = 0; size <= symbol.size(); ++size) {
    const std::string cut = symbol.substr(0, size);
    const Result<TypeTree> tree = parse_mangled(cut);
    EXPECT_EQ(static_cast<bool>(tree), size == symbol.size()) << cut;
  }
}

TEST(Mangled, NestingIsBounded) {
  for (const char* step : {"P", "1AI", "J", "N1AI", "Z1f", "FP", "X"}) {
    std::string symbol = "_Z1fI";
    for (int i = 0; i < 100000; ++i) symbol += step;
    EXPECT_FALSE(parse_mangled(symbol)) << step;
  }
  std::string deep = "_Z1fPi";  // each parameter points to the one before
  for (int i = 0; i < 2000; ++i)
    deep += "PS" + (i == 0 ? std::string() : std::to_string(i - 1)) + "_";
  EXPECT_FALSE(parse_mangled(deep));
  EXPECT_FALSE(parse_mangled("_Z" + std::string(2 << 20, '1')));
}

// Each argument is a pair of the one before: the text doubles at every step.
TEST(Mangled, TextIsBounded) {
  std::string symbol = "_Z1f1AIiiE";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t i = 0; i < 30; ++i) {
    const std::string last = std::string("S") + digits[i] + "_";
    symbol += "S_I" + last + last + "E";
  }
  const Result<TypeTree> tree = parse_mangled(symbol);
  ASSERT_TRUE(tree) << tree.error().what;
  EXPECT_LE(type_text(*tree, tree->root).size(), kMaxNameText + 3);
}

}  // namespace
}  // namespace tilefit
