// SPDX-License-Identifier: Apache-2.0
#include "tilefit/doctor/redact.h"

#include <gmock/gmock.h>

namespace tilefit {
namespace {

TEST(Redact, WhoAndWhereGo) {
  EXPECT_EQ(redacted("/home"
                     "/ann/x.log /Users/bob/y C:\\Users\\carl\\z"),
            "/home"
            "/USER/x.log /Users/USER/y C:\\Users\\USER\\z");
  EXPECT_EQ(redacted("ann@node7.example.org wrote"), "USER@HOST wrote");
  EXPECT_EQ(redacted("tcp://node7:2345 and 10.0.12.7"), "tcp://HOST:2345 and ADDRESS");
  EXPECT_EQ(redacted("fe80:0:0:1:2:3:4:5 host=node7 user: ann"),
            "ADDRESS host=REDACTED user: REDACTED");
}

TEST(Redact, NumbersTimesAndNamesOfKernelsStay) {
  const std::string text =
      "09:12:03,112 needs 102400 B, cutlass::gemm::kernel<128>, 0.6.15 at 0x7f:60";
  EXPECT_EQ(redacted(text), text);
}

}  // namespace
}  // namespace tilefit
