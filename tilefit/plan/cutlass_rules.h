// SPDX-License-Identifier: Apache-2.0
// What CUTLASS and its MoE launcher refuse, and where the byte model ends. One row per rule, first
// match wins; the text is the compiler's own where there is one. What no row refuses is modelled.
#pragma once

#include <array>

#include "tilefit/model/verdict.h"
#include "tilefit/plan/cutlass_kinds.h"

namespace tilefit {

struct RuleInput {
  int cc = 0;
  CutlassKind kind = CutlassKind::none;
  Builder builder = kNewestBuilder;
  const Tile* tile = nullptr;
};

/// A rule about a tile before its bytes are known.
struct TileRule {
  CutlassKind kind;  // none = every kind
  Outcome outcome;
  bool (*applies)(const RuleInput&);
  std::string_view reason, source;
};

namespace rule {
constexpr int k_atom(const Tile& t) { return 4 * row(t.operands).scale_vector; }
constexpr EpilogueTile sm120_epilogue_tile(const Tile& t) {
  return t.epilogue_tile.automatic() ? EpilogueTile{kSm120EpilogueTileM, kSm120EpilogueTileN}
                                     : t.epilogue_tile;
}
constexpr bool one_of(int x, std::initializer_list<int> list) {
  for (const int y : list)
    if (x == y) return true;
  return false;
}
constexpr bool swizzles(const Tile& t) {
  const EpilogueTile e = sm120_epilogue_tile(t);
  const int extent = column_major_d(t) ? e.m : e.n;
  const int d = bits(sm120_d_type(t)), c = bits(sm120_c_type(t));
  return extent * d % 128 == 0 && extent * (c > 0 ? c : d) % 128 == 0;
}
constexpr bool one_cta(const Cluster& c) { return c.m == 1 && c.n == 1 && c.k == 1; }
/// K of one wgmma: 32 bytes of operand.
constexpr int sm90_mma_k(const Tile& t) { return 256 / row(t.operands).smem_bits; }
/// One stage of B has to be cut into the 1024-element atoms of its layout.
constexpr bool sm90_stage_divides(const Tile& t) {
  const Bytes stage = Bytes{t.n} * t.k;
  return stage % 1024 == 0 || (stage & (stage - 1)) == 0;
}
constexpr bool sm100_domain(const Tile& t) {
  const bool plain = row(t.operands).scale_vector == 0;
  const int k = t.operands == Operands::nvfp4 ? 256 : 1024 / row(t.operands).smem_bits;
  return (t.m == 128 || (plain && t.m == 64)) &&
         (one_of(t.n, {64, 128, 256}) || (plain && t.n == 32)) && t.k == k && bits(t.out) == 16 &&
         (t.cluster.m == 1 || t.cluster.m == 2);
}
/// Accumulators of an epilogue tile that each of 256 threads holds.
constexpr Bytes per_thread(const EpilogueTile& e) { return Bytes{e.m} * e.n / 256; }
constexpr bool cooperative_grouped(const Tile& t) {
  return t.kernel == KernelKind::grouped && t.schedule != Schedule::pingpong;
}
/// The cooperative kernel's MMA tile is 64 x 16: a large epilogue tile holds whole ones, a small
/// one divides it.
constexpr bool epilogue_columns_match(const EpilogueTile& e) {
  return per_thread(e) > 4 ? e.n % 16 == 0 : 16 % e.n == 0;
}
/// 128xNx128 NVFP4, grouped, as the launcher leaves it; the tile that was compiled.
constexpr bool is_case(const Tile& t, int n, Epilogue epilogue) {
  Tile want{.m = 128, .n = n, .k = 128, .stages = t.stages, .epilogue = epilogue};
  want.schedule = t.schedule == Schedule::pingpong ? Schedule::automatic : t.schedule;
  return t == want && (t.stages == 0 || t.stages == (n == 256 ? 3 : 4));
}
constexpr bool is_case_without_c(const Tile& t) {
  if (t.c != Dtype::none) return false;
  Tile with_c = t;
  with_c.c = Dtype::automatic;
  return is_case(with_c, 256, Epilogue::finalize);
}
/// hardware.md section 1, rows 1 to 6: BF16 x MXFP4, cluster 1x1x1.
constexpr bool ran_on_h200(const Tile& t) {
  if (t.operands != Operands::bf16xmxfp4 || t.stages != 0 || t.cluster != Cluster{}) return false;
  const bool pingpong = t.schedule == Schedule::pingpong;
  struct Row {
    int m, n, k;
    bool pingpong;
  };
  for (const Row r :
       {Row{128, 128, 256, false}, Row{128, 64, 512, false}, Row{256, 128, 256, false},
        Row{64, 128, 512, true}, Row{128, 256, 256, false}, Row{128, 128, 512, true}})
    if (t.m == r.m && t.n == r.n && t.k == r.k && pingpong == r.pingpong) return true;
  return false;
}
constexpr bool is_sm120(const RuleInput& in) {
  return in.kind == CutlassKind::sm120_blockscaled || in.kind == CutlassKind::sm120_blockwise;
}
}  // namespace rule

// clang-format off
inline constexpr std::array kTileRules{
    // sm_120, both kinds
    TileRule{CutlassKind::none, Outcome::rejected,
             [](const RuleInput& in) { return rule::is_sm120(in) && !rule::one_cta(in.tile->cluster); },
             "static_assert: no programmatic multicast on this arch (clusters are 1x1x1)",
             "sm120_blockscaled_mma_builder.inl:100"},
    TileRule{CutlassKind::none, Outcome::not_built,
             [](const RuleInput& in) { return rule::is_sm120(in) && in.tile->epilogue == Epilogue::activation; },
             "the launcher has no fused activation on sm_120", "moe_gemm_tma_ws_launcher.inl"},
    TileRule{CutlassKind::none, Outcome::not_built,
             [](const RuleInput& in) { return rule::is_sm120(in) && in.tile->epilogue_schedule == EpilogueSchedule::nosmem; },
             "sm_120 has no epilogue without shared memory", "sm120_builder.inl"},
    TileRule{CutlassKind::none, Outcome::not_built,
             [](const RuleInput& in) { return in.tile->kernel == KernelKind::dense && in.tile->epilogue == Epilogue::finalize; },
             "FINALIZE scatters rows of grouped problems; a dense kernel has none", ""},
    TileRule{CutlassKind::none, Outcome::rejected,
             [](const RuleInput& in) { return rule::is_sm120(in) && in.tile->m % rule::sm120_epilogue_tile(*in.tile).m != 0; },
             "static_assert: EPI_TILE_M must divide CTA_M", "sm90_epilogue_array_tma_warpspecialized.hpp:144"},
    TileRule{CutlassKind::none, Outcome::rejected,
             [](const RuleInput& in) { return rule::is_sm120(in) && in.tile->n % rule::sm120_epilogue_tile(*in.tile).n != 0; },
             "static_assert: EPI_TILE_N must divide CTA_N", "sm90_epilogue_array_tma_warpspecialized.hpp:145"},
    TileRule{CutlassKind::none, Outcome::rejected,
             [](const RuleInput& in) { return rule::is_sm120(in) && !rule::swizzles(*in.tile); },
             "no shared-memory layout: a row of the epilogue tile is no multiple of 128 bits", "sm90_common.inl (ss_smem_selector)"},
    TileRule{CutlassKind::none, Outcome::unknown,
             [](const RuleInput& in) { return rule::is_sm120(in) && in.tile->epilogue == Epilogue::finalize && bits(sm120_d_type(*in.tile)) != 16; },
             "FINALIZE with an output that is not 16 bits wide was never compiled for this model", ""},
    TileRule{CutlassKind::none, Outcome::unknown,
             [](const RuleInput& in) { return rule::is_sm120(in) && bits(sm120_d_type(*in.tile)) < 8; },
             "outputs narrower than 8 bits are not modelled", ""},

    // sm_120 block scaled
    TileRule{CutlassKind::sm120_blockscaled, Outcome::rejected,
             [](const RuleInput& in) { return in.tile->k < rule::k_atom(*in.tile); },
             "zero-size scale layout: K must hold four scale groups", "cute/layout.hpp:1101"},
    TileRule{CutlassKind::sm120_blockscaled, Outcome::unknown,
             [](const RuleInput& in) { return in.tile->k % rule::k_atom(*in.tile) != 0; },
             "K is no multiple of four scale groups; never compiled for this model", ""},
    TileRule{CutlassKind::sm120_blockscaled, Outcome::rejected,
             [](const RuleInput& in) { return in.builder == Builder::cutlass_4_2 && in.tile->n % 128 != 0; },
             "scale layouts of CUTLASS 4.2 need N to be a multiple of 128", "sm120_blockscaled_mma_builder.inl (4.2.1)"},
    TileRule{CutlassKind::sm120_blockscaled, Outcome::rejected,
             [](const RuleInput& in) { return !rule::one_of(in.tile->n, {32, 64, 96}) && in.tile->n % 128 != 0; },
             "static_assert: Shape Divisibility Condition (N is 32, 64, or a multiple of 128)", "cute/layout.hpp:1101"},
    TileRule{CutlassKind::sm120_blockscaled, Outcome::unknown,
             [](const RuleInput& in) { return in.tile->m % 64 != 0; },
             "M is no multiple of 64; never compiled for this model", ""},

    // sm_120 fp8 blockwise
    TileRule{CutlassKind::sm120_blockwise, Outcome::unknown,
             [](const RuleInput& in) { return !rule::one_of(in.tile->m, {64, 128, 256}) || in.tile->n % 128 != 0 || in.tile->k != 128; },
             "blockwise kernels are modelled for M 64, 128, 256, N a multiple of 128, K 128", ""},
    TileRule{CutlassKind::sm120_blockwise, Outcome::rejected,
             [](const RuleInput& in) { return in.tile->m % in.tile->scale_granularity.m != 0 || in.tile->n % in.tile->scale_granularity.n != 0; },
             "a scale must cover whole rows and columns of the tile", "sm120_blockwise_mma_builder.inl"},
    TileRule{CutlassKind::sm120_blockwise, Outcome::unknown,
             [](const RuleInput& in) { return in.builder == Builder::cutlass_4_2 || in.tile->schedule == Schedule::pingpong || in.tile->epilogue == Epilogue::finalize; },
             "blockwise kernels are modelled for CUTLASS 4.5, cooperative, without FINALIZE", ""},

    // sm_90 and sm_100: only what the launcher instantiates
    TileRule{CutlassKind::none, Outcome::unknown,
             [](const RuleInput& in) { return !rule::is_sm120(in) && in.builder != Builder::cutlass_4_5; },
             "this architecture's kernels are modelled for CUTLASS 4.5 only", ""},
    TileRule{CutlassKind::none, Outcome::unknown,
             [](const RuleInput& in) { return !rule::is_sm120(in) && (in.tile->c != Dtype::automatic || in.tile->d != Dtype::automatic); },
             "the launcher fixes C and D on this architecture; other types are not modelled", ""},
    TileRule{CutlassKind::none, Outcome::unknown,
             [](const RuleInput& in) { return !rule::is_sm120(in) && !in.tile->epilogue_tile.automatic(); },
             "the launcher lets the builder choose the epilogue tile on this architecture", ""},
    TileRule{CutlassKind::none, Outcome::not_built,
             [](const RuleInput& in) { return !rule::is_sm120(in) && in.tile->epilogue == Epilogue::lincomb; },
             "the launcher's epilogues are none, finalize and activation", "moe_gemm_tma_ws_launcher.inl"},
    TileRule{CutlassKind::none, Outcome::not_built,
             [](const RuleInput& in) { return in.tile->epilogue == Epilogue::activation && !(in.kind == CutlassKind::sm100_grouped && in.tile->operands == Operands::mxfp8); },
             "the launcher fuses the activation for MXFP8 on sm_100 only", "moe_gemm_tma_ws_launcher.inl"},
    TileRule{CutlassKind::sm90_same, Outcome::unknown,
             [](const RuleInput& in) { return in.tile->epilogue_schedule == EpilogueSchedule::nosmem; },
             "the launcher's sm_90 kernels have a TMA epilogue", ""},
    TileRule{CutlassKind::sm90_same, Outcome::rejected,
             [](const RuleInput& in) { return rule::one_of(in.tile->m, {192, 320}) && in.tile->schedule != Schedule::pingpong; },
             "static_assert: EPI_TILE_M must divide CTA_M", "sm90_epilogue_array_tma_warpspecialized.hpp:144"},
    TileRule{CutlassKind::sm90_same, Outcome::rejected,
             [](const RuleInput& in) { return in.tile->k % rule::sm90_mma_k(*in.tile) != 0; },
             "static_assert: Tile_K must be a multiple of the MMA's K (bf16 16, fp8 32, f32 8)", "mma_sm90.hpp:1312"},
    TileRule{CutlassKind::sm90_same, Outcome::unknown,
             [](const RuleInput& in) { return !rule::one_of(in.tile->m, {64, 128, 256}) || in.tile->n % 8 != 0 || in.tile->n > 256 || in.tile->k < 16 || in.tile->k > 512 || (in.tile->operands == Operands::f32 && in.tile->k % 32 != 0); },
             "sm_90 kernels are modelled for M 64, 128, 256, N 8 to 256 in steps of 8, K up to 512", ""},
    TileRule{CutlassKind::sm90_same, Outcome::rejected,
             [](const RuleInput& in) { return in.tile->operands != Operands::fp8 && !rule::sm90_stage_divides(*in.tile); },
             "static_assert: Stride Divisibility Condition (N x K is 1024's multiple or a power of two)", "cute/layout.hpp:1077"},
    TileRule{CutlassKind::sm90_same, Outcome::unknown,
             [](const RuleInput& in) { return bits(in.tile->out) != (in.tile->operands == Operands::f32 ? 32 : 16); },
             "the launcher writes 16-bit outputs (f32 operands: f32)", ""},
    TileRule{CutlassKind::sm90_mixed, Outcome::not_built,
             [](const RuleInput& in) { return in.tile->epilogue != Epilogue::none; },
             "the mixed-input launcher writes rows; it does not fuse FINALIZE", "moe_gemm_tma_ws_mixed_input_launcher.inl"},
    TileRule{CutlassKind::sm90_mixed, Outcome::unknown,
             [](const RuleInput& in) { return !rule::one_of(in.tile->m, {64, 128, 256}) || !rule::one_of(in.tile->n, {16, 32, 64, 128, 256}) || !rule::one_of(in.tile->k, {128, 256, 512}); },
             "mixed-input kernels are modelled for M 64, 128, 256, N 16 to 256, K 128, 256, 512", ""},
    TileRule{CutlassKind::sm90_mixed, Outcome::unknown,
             [](const RuleInput& in) { return (in.tile->scale_apply == ScaleApply::pre_mma_e8m0) != (in.tile->operands == Operands::fp8xmxfp4) || bits(in.tile->out) != 16; },
             "the launcher scales fp8xmxfp4 before the MMA, the other pairs after it, and writes 16-bit outputs", ""},
    TileRule{CutlassKind::sm90_mixed, Outcome::rejected,
             [](const RuleInput& in) { return in.tile->m == 64 && in.tile->schedule == Schedule::cooperative; },
             "two cooperative warp groups need M of 128 at least", "sm90_gmma_builder_mixed_input.inl"},
    TileRule{CutlassKind::sm100_grouped, Outcome::unknown,
             [](const RuleInput& in) { return !rule::sm100_domain(*in.tile); },
             "sm_100 kernels are modelled for CTA M 128 (plain types also 64), N 64, 128, 256 (plain types also 32), K of 128 bytes (NVFP4 256 elements), 16-bit output", ""},
    TileRule{CutlassKind::sm100_grouped, Outcome::not_built,
             [](const RuleInput& in) { return in.tile->epilogue_schedule == EpilogueSchedule::nosmem && (row(in.tile->operands).scale_vector > 0 || in.tile->epilogue != Epilogue::none); },
             "the launcher leaves shared memory out of the epilogue for plain types with epilogue none only", "moe_gemm_tma_ws_launcher.inl"},
    TileRule{CutlassKind::sm103_nvfp4, Outcome::unknown,
             [](const RuleInput& in) { return in.tile->m != 128 || !rule::one_of(in.tile->n, {128, 256}) || in.tile->k != 256 || bits(in.tile->out) != 16 || in.tile->stages != 0; },
             "sm_103 NVFP4 kernels are modelled for 128x128 and 128x256, K 256, 16-bit output, automatic stages", ""},
    TileRule{CutlassKind::sm103_nvfp4, Outcome::not_built,
             [](const RuleInput& in) { return in.tile->epilogue_schedule == EpilogueSchedule::nosmem && in.tile->epilogue != Epilogue::none; },
             "the launcher leaves shared memory out of the epilogue with epilogue none only", "moe_gemm_tma_ws_launcher.inl"},
};

/// A rule about device code of a tile whose bytes are known: it does not compile.
struct DeviceRule {
  CutlassKind kind;
  bool (*applies)(const RuleInput&);
  std::string_view reason, source;
};

inline constexpr std::array kDeviceRules{
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return in.tile->m == 64 || in.tile->n == 96; },
               "static_assert: TMA requires CTA_Tile and SLayout top-level size equivalence.", "copy_traits_sm90_tma.hpp:745"},
    DeviceRule{CutlassKind::sm90_same,
               [](const RuleInput& in) { return in.tile->m == 64 && in.tile->schedule != Schedule::pingpong; },
               "static_assert: Cooperative kernel requires Tile Size to be greater than or equal to 128 along the M-dimension.",
               "sm90_gemm_array_tma_warpspecialized_cooperative.hpp"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return in.tile->m % 128 != 0; },
               "static_assert: Shape Divisibility Condition", "cute/layout.hpp:1101"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return rule::cooperative_grouped(*in.tile) && rule::sm120_epilogue_tile(*in.tile).m % 64 != 0; },
               "static_assert: MMA_TILE_M must divide EPI_TILE_M", "sm90_epilogue_array_tma_warpspecialized.hpp:753"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return rule::cooperative_grouped(*in.tile) && !rule::epilogue_columns_match(rule::sm120_epilogue_tile(*in.tile)); },
               "static_assert: columns of the epilogue tile and of the MMA tile (16) do not divide", "sm90_epilogue_array_tma_warpspecialized.hpp:756"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return in.tile->epilogue == Epilogue::finalize && rule::per_thread(rule::sm120_epilogue_tile(*in.tile)) < 8; },
               "static_assert: Invalid register count for R2G", "sm90_visitor_scatter.hpp:198"},
};

/// What stands behind "compiled": a kernel that was taken through the device compiler.
inline constexpr std::array kCompiled{
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return rule::is_case(*in.tile, 256, Epilogue::finalize) && in.builder == Builder::cutlass_4_5; },
               "", "compiled to an sm_120a cubin: 168 registers, 260 B of spill stores"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return rule::is_case(*in.tile, 128, Epilogue::none) && in.builder == Builder::cutlass_4_5; },
               "", "compiled to an sm_120a cubin"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return rule::is_case_without_c(*in.tile) && in.builder == Builder::cutlass_4_5; },
               "", "compiled to an sm_120a cubin: 168 registers, 292 B of spill stores"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return *in.tile == Tile{.m = 128, .n = 128, .k = 192, .schedule = in.tile->schedule} && rule::cooperative_grouped(*in.tile) && in.builder == Builder::cutlass_4_5; },
               "", "compiled to an sm_120a cubin: 168 registers"},
    DeviceRule{CutlassKind::sm120_blockscaled,
               [](const RuleInput& in) { return *in.tile == Tile{.m = 128, .n = 256, .k = 128, .stages = 2, .epilogue = Epilogue::finalize, .epilogue_tile = {64, 64}} && in.builder == Builder::cutlass_4_5; },
               "", "compiled to an sm_120a cubin: 168 registers, 284 B of spill stores"},
    DeviceRule{CutlassKind::sm90_mixed,
               [](const RuleInput& in) { return rule::ran_on_h200(*in.tile); },
               "", "compiled for sm_90a and launched on an H200"},
};
// clang-format on

}  // namespace tilefit
