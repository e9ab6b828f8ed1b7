// SPDX-License-Identifier: Apache-2.0
// Which CUTLASS kernel a tile means on an architecture: one row per kind of kernel, with the spec
// function that says what it is made of.
#pragma once

#include <array>

#include "tilefit/model/family.h"
#include "tilefit/plan/cutlass_sm100.h"
#include "tilefit/plan/cutlass_sm120.h"
#include "tilefit/plan/cutlass_sm90.h"

namespace tilefit {

enum class CutlassKind : std::uint8_t {
  none,
  sm120_blockscaled,
  sm120_blockwise,
  sm90_same,
  sm90_mixed,
  sm100_grouped,
  sm103_nvfp4
};

struct CutlassKindRow {
  CutlassKind kind;
  CutlassSpec (*spec)(const Tile&, Builder);
};

inline constexpr std::array kCutlassKinds{
    CutlassKindRow{CutlassKind::none, nullptr},
    CutlassKindRow{CutlassKind::sm120_blockscaled,
                   [](const Tile& t, Builder b) { return sm120_blockscaled(t, b); }},
    CutlassKindRow{CutlassKind::sm120_blockwise,
                   [](const Tile& t, Builder) { return sm120_blockwise(t); }},
    CutlassKindRow{CutlassKind::sm90_same, [](const Tile& t, Builder) { return sm90_same(t); }},
    CutlassKindRow{CutlassKind::sm90_mixed, [](const Tile& t, Builder) { return sm90_mixed(t); }},
    CutlassKindRow{CutlassKind::sm100_grouped,
                   [](const Tile& t, Builder) { return sm100_grouped(t); }},
    CutlassKindRow{CutlassKind::sm103_nvfp4, [](const Tile& t, Builder) { return sm103_nvfp4(t); }},
};

constexpr const CutlassKindRow& row(CutlassKind k) {
  return kCutlassKinds[static_cast<std::size_t>(k)];
}

constexpr bool is_mixed(Operands o) {
  return o == Operands::bf16xmxfp4 || o == Operands::fp8xint4 || o == Operands::fp8xmxfp4;
}
constexpr bool is_one_width(Operands o) {
  return o == Operands::bf16 || o == Operands::fp8 || o == Operands::f32;
}
constexpr bool is_block_scaled(Operands o) {
  switch (o) {
    case Operands::nvfp4:
    case Operands::mxfp4:
    case Operands::mxfp8:
    case Operands::wfp4afp8:
    case Operands::mxfp8xmxfp4:
    case Operands::mxfp4xmxfp8:
      return true;
    default:
      return false;
  }
}

/// The kind of kernel that `operands` and `kernel` mean on compute capability `cc`; none = not
/// built.
constexpr CutlassKind cutlass_kind(int cc, const Tile& t) {
  const bool grouped = t.kernel == KernelKind::grouped;
  switch (cc) {
    case 90:
      if (!grouped) return CutlassKind::none;
      if (is_mixed(t.operands)) return CutlassKind::sm90_mixed;
      return is_one_width(t.operands) ? CutlassKind::sm90_same : CutlassKind::none;
    case 100:
    case 103: {
      if (!grouped) return CutlassKind::none;
      if (cc == 103 && t.operands == Operands::nvfp4) return CutlassKind::sm103_nvfp4;
      const bool built = t.operands == Operands::nvfp4 || t.operands == Operands::mxfp8 ||
                         t.operands == Operands::wfp4afp8 || t.operands == Operands::bf16 ||
                         t.operands == Operands::fp8;
      return built ? CutlassKind::sm100_grouped : CutlassKind::none;
    }
    case 120:
    case 121:
      if (is_block_scaled(t.operands)) return CutlassKind::sm120_blockscaled;
      return t.operands == Operands::fp8blockwise ? CutlassKind::sm120_blockwise
                                                  : CutlassKind::none;
    default:
      return CutlassKind::none;
  }
}

}  // namespace tilefit
