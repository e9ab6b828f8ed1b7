// SPDX-License-Identifier: Apache-2.0
// What the MoE tuner of three FlashInfer releases offers, as facts: tiles in the order of its lists
// (the same launcher is TensorRT-LLM's). Tiles are written as there: K in bytes of one row, except
// mixed-input tiles, whose K counts elements. Read from the wheels of flashinfer-python 0.6.0,
// 0.6.18 and 0.7.4: cutlass_heuristic.cpp (lists), moe_gemm_template_dispatch_tma_ws.h (which have
// a case).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "tilefit/model/family.h"

namespace tilefit {

enum class TacticList : std::uint8_t { flashinfer_0_6_0, flashinfer_0_6_18, flashinfer_0_7_4 };

struct TacticListRow {
  TacticList list;
  std::string_view name;
  Builder builder;  // of the CUTLASS it bundles: 4.2.1, 4.5.0, 4.5.0
  std::string_view source;
};

/// One row per list, in the order of the enum; oldest first.
inline constexpr std::array kTacticLists{
    TacticListRow{TacticList::flashinfer_0_6_0, "flashinfer-0.6.0", Builder::cutlass_4_2,
                  "flashinfer-python 0.6.0: cutlass_heuristic.cpp, moe_gemm_template_dispatch*.h"},
    TacticListRow{TacticList::flashinfer_0_6_18, "flashinfer-0.6.18", Builder::cutlass_4_5,
                  "flashinfer-python 0.6.18: cutlass_heuristic.cpp, moe_gemm_template_dispatch*.h"},
    TacticListRow{TacticList::flashinfer_0_7_4, "flashinfer-0.7.4", Builder::cutlass_4_5,
                  "flashinfer-python 0.7.4: cutlass_heuristic.cpp, moe_gemm_template_dispatch*.h"},
};

constexpr const TacticListRow& row(TacticList l) {
  return kTacticLists[static_cast<std::size_t>(l)];
}

namespace flashinfer {

struct Extent {
  int m, n, k;
};

/// sm_120 and sm_121, K in bytes. `cased`: the dispatcher has a case, so a kernel can exist.
struct Sm120Tile {
  Extent extent;
  bool cased;
  bool pruned;    // 0.7.4 takes it out of the grouped list
  bool fp4_only;  // 0.7.4 takes it out for FP8 activations
};

inline constexpr std::array kSm120_0_6_0{
    Sm120Tile{{128, 128, 128}, true, false, false},
    Sm120Tile{{128, 128, 64}, true, false, true},
    Sm120Tile{{128, 256, 64}, true, false, true},
    Sm120Tile{{256, 128, 64}, true, false, true},
};
inline constexpr std::array kSm120{
    Sm120Tile{{128, 128, 128}, true, false, false}, Sm120Tile{{128, 128, 64}, true, false, true},
    Sm120Tile{{256, 128, 64}, true, false, true},   Sm120Tile{{128, 256, 64}, true, false, true},
    Sm120Tile{{128, 128, 256}, false, true, false}, Sm120Tile{{256, 128, 128}, false, true, false},
    Sm120Tile{{128, 32, 128}, true, false, false},  Sm120Tile{{128, 32, 64}, true, false, true},
    Sm120Tile{{128, 64, 128}, true, false, false},  Sm120Tile{{128, 64, 64}, true, false, true},
};

/// sm_90, operands of one type; K is 128 bytes.
inline constexpr std::array kSm90Same{
    Extent{128, 16, 128},  Extent{128, 32, 128},  Extent{128, 64, 128},
    Extent{128, 128, 128}, Extent{128, 256, 128}, Extent{256, 128, 128},
};

/// sm_90, mixed input; K in elements. 0.6.0 gives the tile that the 64x128 entry really launches.
inline constexpr std::array kSm90Mixed_0_6_0{
    Extent{64, 16, 128},  Extent{64, 32, 128},  Extent{64, 64, 128},  Extent{64, 64, 128},
    Extent{128, 16, 128}, Extent{128, 32, 128}, Extent{128, 64, 128}, Extent{128, 128, 128},
};
inline constexpr std::array kSm90Mixed{
    Extent{64, 16, 128},   Extent{64, 16, 256},   Extent{64, 16, 512},   Extent{64, 32, 128},
    Extent{64, 32, 256},   Extent{64, 32, 512},   Extent{64, 64, 128},   Extent{64, 64, 256},
    Extent{64, 64, 512},   Extent{64, 128, 128},  Extent{64, 128, 256},  Extent{64, 128, 512},
    Extent{128, 16, 128},  Extent{128, 16, 256},  Extent{128, 16, 512},  Extent{128, 32, 128},
    Extent{128, 32, 256},  Extent{128, 32, 512},  Extent{128, 64, 128},  Extent{128, 64, 256},
    Extent{128, 64, 512},  Extent{128, 128, 128}, Extent{128, 128, 256}, Extent{128, 128, 512},
    Extent{128, 256, 128}, Extent{128, 256, 256}, Extent{256, 128, 128}, Extent{256, 128, 256},
    Extent{256, 256, 128},
};
/// N of the single-warp-group kernels for FP8 x MXFP4 (M and K are 128); 0.6.18 has the first four.
inline constexpr std::array kSm90SingleWarpGroupN{8, 16, 32, 40, 64};

/// sm_100 and sm_103: K is 128 bytes; sms = 2 means that a pair of SMs shares one MMA.
struct Sm100Tile {
  int m, n, sms;
};
inline constexpr std::array kSm100Fp4{
    Sm100Tile{128, 64, 1},  Sm100Tile{128, 64, 2},  Sm100Tile{128, 128, 1},
    Sm100Tile{128, 256, 1}, Sm100Tile{128, 128, 2}, Sm100Tile{128, 256, 2},
};
inline constexpr std::array kSm100Plain{
    Sm100Tile{128, 128, 1}, Sm100Tile{128, 256, 1}, Sm100Tile{128, 32, 1}, Sm100Tile{64, 64, 1},
    Sm100Tile{64, 32, 1},   Sm100Tile{64, 128, 1},  Sm100Tile{64, 256, 1}, Sm100Tile{128, 64, 1},
    Sm100Tile{64, 128, 2},  Sm100Tile{64, 256, 2},  Sm100Tile{64, 64, 2},  Sm100Tile{128, 64, 2},
    Sm100Tile{128, 128, 2}, Sm100Tile{128, 256, 2},
};
inline constexpr Sm100Tile kSm100Fp8Extra{128, 16, 1};
/// Launch clusters in the order tried; 0x0 stands for the kernel's own, static one.
inline constexpr std::array kSm100Launches{Extent{1, 1, 1}, Extent{4, 1, 1}, Extent{4, 2, 1},
                                           Extent{0, 0, 0}};

/// sm_80-style kernels offered beside the others, each with 2, 3 and 4 stages; K in elements.
inline constexpr std::array kSm80Tensor{Extent{32, 128, 64}, Extent{64, 128, 64},
                                        Extent{128, 128, 64}};
inline constexpr std::array kSm80Simt{Extent{128, 128, 8}};
inline constexpr int kSm80MinStages = 2, kSm80MaxStages = 4;

}  // namespace flashinfer
}  // namespace tilefit
