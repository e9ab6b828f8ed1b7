// SPDX-License-Identifier: Apache-2.0
// Element types, and the operand pairs that GEMM kernels are built for.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

enum class Dtype : std::uint8_t {
  automatic,
  none,
  e2m1,
  e4m3,
  int4,
  ue4m3,
  ue8m0,
  bf16,
  fp16,
  f32
};

struct DtypeRow {
  Dtype dtype;
  std::string_view name;
  int bits;  // in memory; 0 for void
};

/// One row per Dtype, in the order of the enum.
inline constexpr std::array kDtypes{
    DtypeRow{Dtype::automatic, "auto", 0}, DtypeRow{Dtype::none, "void", 0},
    DtypeRow{Dtype::e2m1, "e2m1", 4},      DtypeRow{Dtype::e4m3, "e4m3", 8},
    DtypeRow{Dtype::int4, "int4", 4},      DtypeRow{Dtype::ue4m3, "ue4m3", 8},
    DtypeRow{Dtype::ue8m0, "ue8m0", 8},    DtypeRow{Dtype::bf16, "bf16", 16},
    DtypeRow{Dtype::fp16, "fp16", 16},     DtypeRow{Dtype::f32, "f32", 32},
};

constexpr const DtypeRow& row(Dtype t) { return kDtypes[static_cast<std::size_t>(t)]; }
constexpr int bits(Dtype t) { return row(t).bits; }
constexpr std::string_view name(Dtype t) { return row(t).name; }

/// What the two operands and their scales are; `--dtype`. AxB names A first, except wfp4afp8, which
/// names weight then activation as the launcher does.
enum class Operands : std::uint8_t {
  nvfp4,
  mxfp4,
  mxfp8,
  wfp4afp8,
  mxfp8xmxfp4,
  mxfp4xmxfp8,
  fp8blockwise,
  bf16,
  fp8,
  f32,
  bf16xmxfp4,
  fp8xint4,
  fp8xmxfp4,
  bf16xnvfp4,
  fp16xnvfp4,
  fp8xnvfp4,
};

struct OperandsRow {
  Operands operands;
  std::string_view name;
  Dtype a, b;        // element types as the name orders them
  int smem_bits;     // bits of one element of either operand in shared memory (pairs of one width)
  int scale_vector;  // elements of K that share one scale factor; 0 = no block scales
  Dtype scale;       // type of that scale; none without block scales
};

/// One row per Operands, in the order of the enum. MXF8F6F4 pairs are unpacked to 8 bits in shared
/// memory (PTX ISA, kind::mxf8f6f4; confirmed by sizeof in truth/cutlass.csv). Mixed-input pairs
/// keep each operand's own width: smem_bits is 0 and their layout takes bits(a), bits(b).
inline constexpr std::array kOperands{
    OperandsRow{Operands::nvfp4, "nvfp4", Dtype::e2m1, Dtype::e2m1, 4, 16, Dtype::ue4m3},
    OperandsRow{Operands::mxfp4, "mxfp4", Dtype::e2m1, Dtype::e2m1, 4, 32, Dtype::ue8m0},
    OperandsRow{Operands::mxfp8, "mxfp8", Dtype::e4m3, Dtype::e4m3, 8, 32, Dtype::ue8m0},
    OperandsRow{Operands::wfp4afp8, "wfp4afp8", Dtype::e2m1, Dtype::e4m3, 8, 32, Dtype::ue8m0},
    OperandsRow{Operands::mxfp8xmxfp4, "mxfp8xmxfp4", Dtype::e4m3, Dtype::e2m1, 8, 32,
                Dtype::ue8m0},
    OperandsRow{Operands::mxfp4xmxfp8, "mxfp4xmxfp8", Dtype::e2m1, Dtype::e4m3, 8, 32,
                Dtype::ue8m0},
    OperandsRow{Operands::fp8blockwise, "fp8blockwise", Dtype::e4m3, Dtype::e4m3, 8, 0, Dtype::f32},
    OperandsRow{Operands::bf16, "bf16", Dtype::bf16, Dtype::bf16, 16, 0, Dtype::none},
    OperandsRow{Operands::fp8, "fp8", Dtype::e4m3, Dtype::e4m3, 8, 0, Dtype::none},
    OperandsRow{Operands::f32, "f32", Dtype::f32, Dtype::f32, 32, 0, Dtype::none},
    OperandsRow{Operands::bf16xmxfp4, "bf16xmxfp4", Dtype::bf16, Dtype::e2m1, 0, 32, Dtype::ue8m0},
    OperandsRow{Operands::fp8xint4, "fp8xint4", Dtype::e4m3, Dtype::int4, 0, 128, Dtype::bf16},
    OperandsRow{Operands::fp8xmxfp4, "fp8xmxfp4", Dtype::e4m3, Dtype::e2m1, 0, 32, Dtype::ue8m0},
    OperandsRow{Operands::bf16xnvfp4, "bf16xnvfp4", Dtype::bf16, Dtype::e2m1, 0, 16, Dtype::ue4m3},
    OperandsRow{Operands::fp16xnvfp4, "fp16xnvfp4", Dtype::fp16, Dtype::e2m1, 0, 16, Dtype::ue4m3},
    OperandsRow{Operands::fp8xnvfp4, "fp8xnvfp4", Dtype::e4m3, Dtype::e2m1, 0, 16, Dtype::ue4m3},
};

constexpr const OperandsRow& row(Operands o) { return kOperands[static_cast<std::size_t>(o)]; }
constexpr std::string_view name(Operands o) { return row(o).name; }

namespace dtype_check {
consteval bool in_order() {
  for (std::size_t i = 0; i < kDtypes.size(); ++i)
    if (static_cast<std::size_t>(kDtypes[i].dtype) != i) return false;
  for (std::size_t i = 0; i < kOperands.size(); ++i)
    if (static_cast<std::size_t>(kOperands[i].operands) != i) return false;
  return true;
}
static_assert(in_order(), "kDtypes and kOperands follow their enums");
}  // namespace dtype_check

}  // namespace tilefit
