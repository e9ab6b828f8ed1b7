// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/demangled.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/read/name_rows.h"
#include "tilefit/read/mangled.h"
#include "tilefit/read/type_text.h"

namespace tilefit {
namespace {

std::string text_of(std::string_view name) {
  const Result<TypeTree> tree = parse_demangled(name);
  return tree ? type_text(*tree, tree->root) : tree.error().what;
}

/// Whether two trees answer alike: names, scopes, arguments, values.
bool same(const TypeTree& a, NodeId x, const TypeTree& b, NodeId y) {
  if (a.last_name(x) != b.last_name(y) || a.integer(x) != b.integer(y)) return false;
  const std::vector<NodeId> left = a.arguments(x), right = b.arguments(y);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!same(a, left[i], b, right[i])) return false;
  }
  const NodeId outer = a.scope(x), other = b.scope(y);
  return a.has(outer) == b.has(other) && (!a.has(outer) || same(a, outer, b, other));
}

TEST(Demangled, KernelsGiveTheTreeOfTheirMangledName) {
  int compared = 0;
  for (const names::Row& row : names::sized()) {
    const std::string& symbol = row.at("symbol");
    const Result<TypeTree> mangled = parse_mangled(symbol);
    ASSERT_TRUE(mangled);
    const std::string text = type_text(*mangled, mangled->root);
    const Result<TypeTree> again = parse_demangled(text);
    ASSERT_TRUE(again) << again.error().what << "\n" << text;
    EXPECT_TRUE(same(*mangled, mangled->root, *again, again->root)) << text;
    EXPECT_EQ(type_text(*again, again->root), text);
    ++compared;
  }
  EXPECT_EQ(compared, 396);
}

TEST(Demangled, ProfilersWriteLiteralsAsCasts) {
  EXPECT_EQ(text_of("void k<(int)128, (bool)1, (bool)0, (int)-3>(T1 *, int)"),
            "void k<128, true, false, -3>(T1*, int)");
  EXPECT_EQ(text_of("void k<(cute::UMMA::Major)1>()"), "void k<(cute::UMMA::Major)1>()");
  EXPECT_EQ(text_of("k<128u, 5l, 7ul, true>(int)"), "k<128u, 5l, 7ul, true>(int)");
}

TEST(Demangled, WhatHasNoNameInCxx) {
  EXPECT_EQ(text_of("void <unnamed>::k<int>(int)"), "void (anonymous namespace)::k<int>(int)");
  EXPECT_EQ(text_of("void (anonymous namespace)::k()"), "void (anonymous namespace)::k()");
  EXPECT_EQ(text_of("k<f(int)::[lambda(int) (instance 1)]>()"),
            "k<f(int)::[lambda(int) (instance 1)]>()");
  EXPECT_EQ(text_of("k<A::operator()() const::{lambda(float)#2}>()"),
            "k<A::operator()() const::{lambda(float)#2}>()");
  EXPECT_EQ(text_of("k<((1)+(2))>()"), "k<((1)+(2))>()");
}

TEST(Demangled, DeclaratorsOfFunctionsAndArrays) {
  EXPECT_EQ(text_of("f(void (*)(int), int (&) [3], char C::*, void (C::*)(int) const)"),
            "f(void (*)(int), int (&) [3], char C::*, void (C::*)(int) const)");
  EXPECT_EQ(text_of("f(const float *, unsigned long long volatile&)"),
            "f(float const*, unsigned long long volatile&)");
}

TEST(Demangled, PlainNames) {
  EXPECT_EQ(text_of("fused_moe_kernel"), "fused_moe_kernel");
  EXPECT_EQ(text_of("at::native::foo"), "at::native::foo");
}

TEST(Demangled, CutNamesSaySo) {
  const Result<TypeTree> tree = parse_demangled("void k<int, float...");
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().fix, "give the whole name, or the mangled one");
  EXPECT_FALSE(parse_demangled(""));
  EXPECT_FALSE(parse_demangled("a b c"));
  EXPECT_FALSE(parse_demangled("k<int>>"));
}

TEST(Demangled, NestingIsBounded) {
  for (const char* step : {"A<", "(", "A<(", "f(", "const ", "*", "{", "'"}) {
    std::string name;
    for (int i = 0; i < 100000; ++i) name += step;
    (void)parse_demangled(name);
    (void)parse_demangled("void k<" + name + ">()");
  }
}

}  // namespace
}  // namespace tilefit
