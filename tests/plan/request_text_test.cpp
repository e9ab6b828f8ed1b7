// SPDX-License-Identifier: Apache-2.0
// Each flag's values, good and bad: what they set, and what the error says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tilefit/plan/request_text.h"

namespace tilefit {
namespace {

using testing::HasSubstr;

const RequestField& field(std::string_view flag_or_column) {
  for (const RequestField& f : kRequestFields)
    if (f.flag == flag_or_column || (f.flag.empty() && f.column == flag_or_column)) return f;
  ADD_FAILURE() << "no field " << flag_or_column;
  return kRequestFields.front();
}

using Values = std::vector<std::pair<std::string_view, std::string_view>>;

/// What `finish` makes of flags in this order, or its error.
Result<TileRequest> request(const Values& flags) {
  RequestDraft draft;
  for (const auto& [flag, value] : flags)
    if (auto error = field(flag).set(draft, value)) {
      error->where = std::string(flag);
      return *error;
    }
  return finish(draft);
}

/// The request of a whole tile with one more flag.
TileRequest with(std::string_view flag, std::string_view value) {
  const Result<TileRequest> r =
      request({{"--gpu", "sm_120"}, {"--tile", "128x128x128"}, {flag, value}});
  EXPECT_TRUE(r) << flag << " " << value << ": " << r.error().what;
  return r ? *r : TileRequest{};
}

Error error_of(std::string_view flag, std::string_view value) {
  RequestDraft draft;
  const auto error = field(flag).set(draft, value);
  EXPECT_TRUE(error) << flag << " '" << value << "' was taken";
  return error.value_or(Error{});
}

TEST(RequestText, EveryFieldHasAFlagOrAColumn) {
  for (const RequestField& f : kRequestFields) {
    EXPECT_TRUE(!f.flag.empty() || !f.column.empty());
    EXPECT_EQ(f.flag.empty(), f.help.empty()) << f.flag << f.column;
    EXPECT_NE(f.set, nullptr);
    EXPECT_EQ(std::count_if(kRequestFields.begin(), kRequestFields.end(),
                            [&](const RequestField& other) {
                              return !f.flag.empty() && other.flag == f.flag;
                            }),
              f.flag.empty() ? 0 : 1);
  }
  EXPECT_EQ(find_column("tile_m")->column, "tile_m");
  EXPECT_EQ(find_column("total"), nullptr);
  EXPECT_EQ(find_column(""), nullptr);
  EXPECT_EQ(find_column("--tile"), nullptr);
}

TEST(RequestText, GoodValues) {
  EXPECT_EQ(with("--gpu", "h200").arch->cc, 90);
  EXPECT_EQ(with("--gpu", "rtx pro 6000").arch->cc, 120);
  EXPECT_NE(with("--gpu", "rtx pro 6000").gpu, nullptr);
  EXPECT_EQ(with("--gpu", "12.1").arch->cc, 121);
  EXPECT_EQ(with("--family", "cutlass").family, Family::cutlass);
  for (const std::string_view v : {"cutlass-4.2", "4.2", "4.2.1", "cutlass-4.2.1"})
    EXPECT_EQ(with("--builder", v).builder, Builder::cutlass_4_2) << v;
  for (const std::string_view v : {"cutlass-4.5", "4.5.0", "4.3", "4.4.2"})
    EXPECT_EQ(with("--builder", v).builder, Builder::cutlass_4_5) << v;
  EXPECT_EQ(with("--kernel", "dense").tile.kernel, KernelKind::dense);
  EXPECT_EQ(with("--dtype", "mxfp8").tile.operands, Operands::mxfp8);
  EXPECT_EQ(with("--sf-vec", "16").tile.operands, Operands::nvfp4);
  EXPECT_EQ(with("--tile", "64x1048576x1").tile.n, kMaxExtent);
  EXPECT_EQ(with("--cluster", "2x1x1").tile.cluster, (Cluster{2, 1, 1, false}));
  EXPECT_EQ(with("--cluster", "1x1x1dyn").tile.cluster, (Cluster{1, 1, 1, true}));
  EXPECT_TRUE(with("--cluster-mode", "dynamic").tile.cluster.dynamic);
  for (const std::string_view v : {"pingpong", "dpingpong"})
    EXPECT_EQ(with("--schedule", v).tile.schedule, Schedule::pingpong) << v;
  for (const std::string_view v : {"cooperative", "coop"})
    EXPECT_EQ(with("--schedule", v).tile.schedule, Schedule::cooperative) << v;
  EXPECT_EQ(with("--schedule", "nosmem").tile.epilogue_schedule, EpilogueSchedule::nosmem);
  EXPECT_EQ(with("--epilogue-schedule", "nosmem").tile.epilogue_schedule, EpilogueSchedule::nosmem);
  for (const std::string_view v : {"finalize", "FINALIZE"})
    EXPECT_EQ(with("--epilogue", v).tile.epilogue, Epilogue::finalize) << v;
  EXPECT_EQ(with("--epilogue", "kPreMmaE8M0").tile.scale_apply, ScaleApply::pre_mma_e8m0);
  EXPECT_EQ(with("--scale-apply", "pre-mma-e8m0").tile.scale_apply, ScaleApply::pre_mma_e8m0);
  for (const std::string_view v : {"true", "1", "yes"})
    EXPECT_TRUE(with("--swap-ab", v).tile.swap_ab) << v;
  for (const std::string_view v : {"false", "0", "no"})
    EXPECT_FALSE(with("--swap-ab", v).tile.swap_ab) << v;
  for (const std::string_view v : {"col", "Dcol"})
    EXPECT_EQ(with("--d-layout", v).tile.d_layout, DLayout::col) << v;
  EXPECT_EQ(with("--scale-granularity", "128x128").tile.scale_granularity,
            (ScaleGranularity{128, 128}));
  EXPECT_EQ(with("--scale-granularity", "g1x128MN").tile.scale_major, ScaleMajor::mn);
  EXPECT_EQ(with("--scale-major", "mn").tile.scale_major, ScaleMajor::mn);
  EXPECT_EQ(with("variant", "Drow").tile.d_layout, DLayout::row);
  EXPECT_EQ(with("variant", "g128x128K").tile.scale_granularity, (ScaleGranularity{128, 128}));
  EXPECT_EQ(with("--stages", "7").tile.stages, 7);
  EXPECT_EQ(with("--stages", "auto").tile.stages, 0);
  EXPECT_EQ(with("--epilogue-tile", "64x32").tile.epilogue_tile, (EpilogueTile{64, 32}));
  EXPECT_TRUE(with("--epilogue-tile", "auto").tile.epilogue_tile.automatic());
  for (const std::string_view v : {"f32", "float"})
    EXPECT_EQ(with("--out", v).tile.out, Dtype::f32) << v;
  for (const std::string_view v : {"fp16", "half"})
    EXPECT_EQ(with("--out", v).tile.out, Dtype::fp16) << v;
  EXPECT_EQ(with("--out", "CvoidDbf16").tile.c, Dtype::none);
  EXPECT_EQ(with("--out", "Cf32De4m3").tile.d, Dtype::e4m3);
  EXPECT_EQ(with("--c-type", "void").tile.c, Dtype::none);
  EXPECT_EQ(with("--d-type", "e4m3").tile.d, Dtype::e4m3);
  EXPECT_EQ(with("--limit", "1099511627776").limit, Bytes{1} << 40);
  EXPECT_EQ(with("--static", "0").static_bytes, 0);
}

struct Bad {
  std::string_view flag, value, what, fix;
};

TEST(RequestText, BadValuesSayWhatAndHowToWriteIt) {
  // clang-format off
  static constexpr Bad kBad[]{
      {"--gpu", "sm_999", "unknown architecture 'sm_999'", "did you mean"},
      {"--gpu", "rtx pro 600", "unknown GPU 'rtx pro 600'", "did you mean 'rtx pro 6000'?"},
      {"--gpu", "", "", ""},
      {"--family", "cutlas-moe", "unknown family 'cutlas-moe'", "did you mean 'cutlass-moe'? known: cutlass-moe, cutlass, tilefit"},
      {"--builder", "cutlass-5.0", "unknown builder 'cutlass-5.0'", "modelled are cutlass-4.2 and cutlass-4.5"},
      {"--builder", "4", "unknown builder '4'", ""},
      {"--builder", "4.5.x", "unknown builder '4.5.x'", ""},
      {"--builder", "4.99999999999", "unknown builder", ""},
      {"--kernel", "group", "unknown kernel 'group'", "known: grouped, dense"},
      {"--mainloop", "mix", "unknown mainloop 'mix'", "did you mean"},
      {"--dtype", "nvfp5", "unknown dtype 'nvfp5'", "did you mean 'nvfp4'?"},
      {"--dtype", "NVFP4", "unknown dtype 'NVFP4'", "known: nvfp4"},
      {"--sf-vec", "x", "scale vector 'x' is no positive whole number", "such as 16"},
      {"--tile", "128x256", "tile '128x256' has 2 parts where MxNxK has 3", "such as 128x256x128"},
      {"--tile", "0x128x128", "tile '0x128x128': '0' is no positive whole number", "from 1 to 1048576"},
      {"--tile", "-1", "tile '-1' has 1 part where MxNxK has 3", ""},
      {"--tile", "128x-1x128", "'-1' is no positive whole number", ""},
      {"--tile", "1e9x1e9x1e9", "'1e9' is no positive whole number", ""},
      {"--tile", "1x2x1048577", "'1048577' is above 1048576", ""},
      {"--tile", "9223372036854775807x1x1", "'9223372036854775807' is above 1048576", ""},
      {"--tile", "18446744073709551744x1x1", "is above 1048576", ""},  // 128 modulo 2^64
      {"--tile", "", "tile '' is empty", ""},
      {"--tile", "x", "has 2 parts", ""},
      {"--tile", "128x256x", "'' is no positive whole number", ""},
      {"--tile", "128x256x128x1", "has 4 parts", ""},
      {"tile_m", "12.5", "tile M '12.5' is no positive whole number", "such as 128"},
      {"tile_n", "+8", "tile N '+8' is no positive whole number", ""},
      {"tile_k", "99999999", "tile K '99999999' is above 1048576", ""},
      {"--cluster", "65x1x1", "cluster '65x1x1': '65' is above 64", "from 1 to 64"},
      {"--cluster", "dyn", "cluster '' is empty", ""},
      {"--cluster-mode", "dynamics", "unknown cluster mode", "did you mean 'dynamic'?"},
      {"--schedule", "ping-pong", "unknown schedule 'ping-pong'", "did you mean 'pingpong'?"},
      {"--epilogue-schedule", "tmem", "unknown epilogue schedule", "did you mean 'tma'?"},
      {"--epilogue", "finalise", "unknown epilogue 'finalise'", "did you mean 'finalize'?"},
      {"--scale-apply", "post-mmaa", "unknown scale application", "did you mean 'post-mma'?"},
      {"--swap-ab", "maybe", "unknown value of swap-AB 'maybe'", "known: true, false, 1, 0, yes, no"},
      {"--d-layout", "Drows", "unknown layout of D", "did you mean 'Drow'?"},
      {"--scale-granularity", "1x128x1", "scale granularity '1x128x1' has 3 parts where MxN has 2", "such as 1x128"},
      {"--scale-granularity", "gMN", "scale granularity '' is empty", ""},
      {"--scale-major", "m", "unknown scale major", ""},
      {"variant", "Dx", "unknown layout of D 'Dx'", ""},
      {"variant", "z", "scale granularity 'z'", ""},
      {"--stages", "0", "stages '0' is no positive whole number", "write auto or a whole number from 1 to 65536"},
      {"--stages", "-3", "stages '-3' is no positive whole number", ""},
      {"--stages", "65537", "stages '65537' is above 65536", ""},
      {"--epilogue-tile", "64", "epilogue tile '64' has 1 part where MxN has 2", "such as 64x32"},
      {"--out", "bf61", "unknown output type 'bf61'", "did you mean 'bf16'?"},
      {"--out", "void", "unknown output type 'void'", ""},
      {"--out", "CbD", "unknown type of C 'b'", ""},
      {"--out", "CvoidD", "unknown type of D ''", ""},
      {"--c-type", "e4m3", "unknown type of C 'e4m3'", "known: void, bf16, fp16, f32"},
      {"--d-type", "void", "unknown type of D 'void'", ""},
      {"--limit", "0", "a limit of 0 bytes lets nothing launch", "leave --limit out"},
      {"--limit", "-5", "limit '-5' is no byte count", "such as 101376"},
      {"--limit", "99999999999999999999", "limit '99999999999999999999' is no byte count", ""},
      {"--limit", "1099511627777", "is no byte count", ""},
      {"--static", "1k", "static size '1k' is no byte count", ""},
  };
  // clang-format on
  for (const Bad& bad : kBad) {
    const Error error = error_of(bad.flag, bad.value);
    EXPECT_THAT(error.what, HasSubstr(std::string(bad.what)))
        << bad.flag << " '" << bad.value << "'";
    EXPECT_THAT(error.fix, HasSubstr(std::string(bad.fix))) << bad.flag << " '" << bad.value << "'";
    EXPECT_FALSE(error.what.empty());
    EXPECT_FALSE(error.fix.empty()) << bad.flag << " '" << bad.value << "' leaves its reader alone";
  }
}

/// Every field refuses hostile text with a short, printable message.
TEST(RequestText, HostileValuesGiveShortPrintableErrors) {
  const std::string long_text(100'000, 'z'), control("\x1b[31m\n\0x", 8);
  for (const RequestField& f : kRequestFields)
    for (const std::string& text : {long_text, control, std::string("\xff\xfe")}) {
      RequestDraft draft;
      const auto error = f.set(draft, text);
      ASSERT_TRUE(error) << f.flag << f.column;
      for (const std::string& part : {error->what, error->fix}) {
        EXPECT_LT(part.size(), 512u) << f.flag << f.column;
        EXPECT_TRUE(std::all_of(part.begin(), part.end(), [](char c) {
          return c >= 0x20 && c < 0x7f;
        })) << part;
      }
    }
}

TEST(RequestText, LaterValuesReplaceEarlierOnes) {
  const auto r = request({{"--gpu", "h200"},
                          {"--tile", "128x128x64"},
                          {"--gpu", "sm120dense"},
                          {"--gpu", "sm90mixed"},
                          {"--dtype", "bf16xmxfp4"},
                          {"--tile", "64x64x128"}});
  ASSERT_TRUE(r) << r.error().what;
  EXPECT_EQ(r->arch->cc, 90);
  EXPECT_EQ(r->gpu, nullptr);
  EXPECT_EQ(r->tile.kernel, KernelKind::grouped);
  EXPECT_EQ(r->tile.m, 64);
}

struct Conflict {
  Values flags;
  std::string_view what, where;
};

TEST(RequestText, FinishSeesWhatOnlyTheWholeCanTell) {
  const Values tile{{"--gpu", "sm_120"}, {"--tile", "128x128x128"}};
  const std::vector<Conflict> conflicts{
      {{{"--tile", "128x128x128"}}, "no GPU named", "--gpu"},
      {{{"--gpu", "sm_120"}}, "no tile named", "--tile"},
      {{{"--gpu", "sm_120"}, {"tile_m", "128"}, {"tile_n", "128"}}, "no tile named", "--tile"},
      {{{"--gpu", "sm120dense"}, {"--tile", "128x128x128"}, {"--kernel", "grouped"}},
       "sm120dense names a dense kernel",
       "--kernel"},
      {{{"--gpu", "sm90mixed"}, {"--tile", "128x128x128"}, {"--dtype", "bf16"}},
       "dtype 'bf16' is no mixed pair",
       "--mainloop"},
      {{{"--gpu", "sm_90"},
        {"--tile", "128x128x128"},
        {"--dtype", "bf16xmxfp4"},
        {"--mainloop", "same"}},
       "is a mixed pair",
       "--mainloop"},
      {{{"--gpu", "sm_120"}, {"--tile", "128x128x128"}, {"--sf-vec", "32"}},
       "nvfp4 shares a scale over 16 elements, not 32",
       "--sf-vec"},
      {{{"--gpu", "sm_90"}, {"--tile", "128x128x128"}, {"--dtype", "bf16"}, {"--sf-vec", "16"}},
       "bf16 has no block scales",
       "--sf-vec"},
  };
  for (const Conflict& c : conflicts) {
    const Result<TileRequest> r = request(c.flags);
    ASSERT_FALSE(r) << c.what;
    EXPECT_THAT(r.error().what, HasSubstr(std::string(c.what)));
    EXPECT_EQ(r.error().where, c.where);
    EXPECT_FALSE(r.error().fix.empty());
  }
}

TEST(RequestText, WhatFollowsFromOtherFlags) {
  EXPECT_EQ(with("--kernel", "dense").family, Family::cutlass);
  EXPECT_EQ(with("--dtype", "fp8blockwise").family, Family::cutlass);
  EXPECT_EQ(with("--dtype", "mxfp8").family, Family::cutlass_moe);
  EXPECT_EQ(with("--gpu", "sm120dense").tile.kernel, KernelKind::dense);
  EXPECT_EQ(with("--dtype", "fp8xmxfp4").tile.scale_apply, ScaleApply::pre_mma_e8m0);
  EXPECT_EQ(with("--dtype", "bf16xmxfp4").tile.mainloop, Mainloop::mixed);
  const auto given = request({{"--gpu", "sm_120"},
                              {"--tile", "128x128x128"},
                              {"--kernel", "dense"},
                              {"--family", "cutlass-moe"}});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->family, Family::cutlass_moe);
}

}  // namespace
}  // namespace tilefit
