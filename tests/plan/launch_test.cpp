// SPDX-License-Identifier: Apache-2.0
// will_launch against what an H200 accepted and refused, and against hand-made register sums.
#include "tilefit/plan/launch.h"

#include <gtest/gtest.h>

namespace tilefit {
namespace {

struct Case {
  int cc;
  Bytes static_bytes, dynamic_bytes;
  int registers, threads;
  Outcome outcome;
};

// Bytes on sm_90: measured, inclusive, static + dynamic. Registers: 255 x 256 threads is all of the
// file (65536 with granularity 256), 168 x 384 is 64512.
constexpr Case kCases[] = {
    {90, 0, 232448, 32, 128, Outcome::fits},
    {90, 0, 232449, 32, 128, Outcome::over_limit},
    {90, 1024, 231424, 32, 128, Outcome::fits},
    {90, 1024, 231425, 32, 128, Outcome::over_limit},
    {90, 60000, 172448, 32, 128, Outcome::fits},
    {90, 60000, 172449, 32, 128, Outcome::over_limit},
    {120, 0, 101376, 168, 384, Outcome::fits},
    {120, 0, 102400, 168, 384, Outcome::over_limit},
    {121, 0, 101377, 168, 384, Outcome::over_limit},
    {80, 0, 166912, 255, 256, Outcome::fits},
    {80, 0, 0, 255, 288, Outcome::too_many_registers},
    {80, 0, 0, 256, 32, Outcome::too_many_registers},
    {90, 0, 0, 64, 1024, Outcome::fits},
    {90, 0, 0, 65, 1024, Outcome::too_many_registers},
    {90, 0, 0, 16, 1025, Outcome::rejected},
    {90, -1, 0, 16, 32, Outcome::rejected},
    {90, 0, 0, 16, 0, Outcome::rejected},
    {75, 0, 65536, 32, 128, Outcome::fits},
    {75, 0, 65537, 32, 128, Outcome::over_limit},
};

TEST(WillLaunch, MeasuredAndByHand) {
  for (const Case& c : kCases) {
    const Launch l =
        will_launch(c.static_bytes, c.dynamic_bytes, c.registers, c.threads, *find_arch(c.cc));
    SCOPED_TRACE(testing::Message()
                 << "sm_" << c.cc << " " << c.static_bytes << " + " << c.dynamic_bytes << ", "
                 << c.registers << " x " << c.threads);
    EXPECT_EQ(l.outcome, c.outcome) << l.reason;
    EXPECT_EQ(l.ok(), l.reason.empty());
    if (!l.ok() && l.outcome != Outcome::rejected) {
      EXPECT_GT(l.needed, l.limit);
    }
  }
}

TEST(WillLaunch, SaysWhenToOptIn) {
  EXPECT_FALSE(will_launch(0, 49152, 32, 128, *find_arch(90)).opt_in);
  EXPECT_TRUE(will_launch(0, 49153, 32, 128, *find_arch(90)).opt_in);
  EXPECT_TRUE(will_launch(1024, 48129, 32, 128, *find_arch(90)).opt_in);
  EXPECT_FALSE(will_launch(1024, 48128, 32, 128, *find_arch(90)).opt_in);
  EXPECT_FALSE(will_launch(60000, 0, 32, 128, *find_arch(90)).opt_in);
}

}  // namespace
}  // namespace tilefit
