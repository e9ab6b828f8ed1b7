// SPDX-License-Identifier: Apache-2.0
// sizeof(SharedStorage) of a CUTLASS 3.x kernel whose full type is known. Beside the shells of
// cutlass_shells.h there are five more here. Sources, each as bundled with flashinfer-python 0.6.0
// (CUTLASS 4.2.1) and 0.7.4 (4.5.0): gemm/kernel/sm90_gemm_tma_warpspecialized.hpp (overlap),
// sm100_gemm_tma_warpspecialized.hpp, sm100_gemm_array_tma_warpspecialized.hpp and their
// _mma_transform twins. Checked by sizeof of the types that shipped kernels are named after.
#pragma once

#include "tilefit/model/family.h"
#include "tilefit/plan/cutlass_shells.h"
#include "tilefit/plan/named_gemm.h"

namespace tilefit {

/// Scales that one stage of a blockwise mainloop keeps for `extent` rows or columns.
constexpr Bytes blockwise_scales(int extent, int covered, int k, int covered_k) {
  return covered > 0 && covered_k > 0 ? Bytes{extent / covered} * (k / covered_k) : 0;
}

constexpr Bytes named_operand_bytes(int extent, int k, int bits) {
  return Bytes{extent} * k * bits / 8;
}

constexpr MainloopSpec named_mainloop(const NamedGemm& g) {
  const int arch = g.mainloop->arch;
  const Bytes operand_align = arch == 120 ? 1024 : 128;
  const int b_columns = g.two_sm() ? g.n / 2 : g.n;  // a pair of SMs splits B
  MainloopSpec m;
  m.align = operand_align;
  switch (g.mainloop->form) {
    case NamedForm::mixed:
      m.align = std::max(g.a.swizzle, g.b.swizzle);
      m.add(Part::mainloop_a, named_operand_bytes(g.m, g.k, g.a.smem_bits), g.a.swizzle);
      m.add(Part::mainloop_b, named_operand_bytes(g.n, g.k, g.b.smem_bits), g.b.swizzle);
      m.add(Part::mainloop_scale, g.m * g.scale_bytes, 16);
      m.add(Part::mainloop_zero, 0, 16);  // an array of no elements still takes a unit of 16
      break;
    default:
      m.add(Part::mainloop_a, named_operand_bytes(g.cta_m, g.k, g.a.smem_bits), operand_align);
      m.add(Part::mainloop_b, named_operand_bytes(b_columns, g.k, g.b.smem_bits), operand_align);
  }
  if (g.mainloop->form == NamedForm::block_scaled) {
    // Scale atoms cover 128 rows.
    m.add(Part::mainloop_sfa, round_up(g.cta_m, 128) * g.k / g.scale_vector, 16);
    m.add(Part::mainloop_sfb, round_up(g.n, 128) * g.k / g.scale_vector, 16);
  }
  if (g.mainloop->form == NamedForm::blockwise) {
    const Bytes align = arch == 90 && !g.grouped() ? 128 : 16;
    m.add(Part::mainloop_scale_a, 4 * blockwise_scales(g.cta_m, g.scale_m, g.k, g.scale_k), align);
    m.add(Part::mainloop_scale_b, 4 * blockwise_scales(g.n, g.scale_n, g.k, g.scale_k), align);
  }
  if (g.grouped()) {
    m.tensormaps = g.mainloop->form == NamedForm::block_scaled ? 512 : 256;
    if (g.mainloop->form == NamedForm::mixed) m.tensormaps = 512;
  }
  return m;
}

/// The dynamic scheduler of dense kernels: a CLC pipeline, its throttle and the responses.
constexpr bool dynamic_scheduler(const NamedGemm& g) {
  return g.mainloop->arch >= 100 && g.scheduler != NamedScheduler::static_persistent;
}

/// Not persistent: the epilogue's tensors overlap the mainloop's.
constexpr void overlap_shell(CutlassStorage& s) {
  KernelStorage& k = s.kernel;
  StorageWriter w{s.plan};
  k.align = std::max({Bytes{16}, s.spec.mainloop.align, s.epilogue.tensors_align});
  k.mainloop = put_mainloop(w, s, 1);
  k.epilogue = {0, s.epilogue.tensors};
  w.cursor = std::max(k.mainloop.end(), k.epilogue.end());
  w.align(std::max(s.spec.mainloop.align, s.epilogue.tensors_align));
  k.tensors = {0, w.cursor};
  k.p_mainloop = w.put(Part::pipeline_mainloop, s.mainloop.pipeline, 16);
  k.p_epilogue_load =
      w.put(Part::pipeline_epilogue_load, s.epilogue.pipeline, 16, s.epilogue.pipeline_slot);
  k.pipelines = {k.p_mainloop.offset, w.cursor - k.p_mainloop.offset};
  w.plan.pad_to(w.cursor);
  w.plan.finish(k.align);
}

/// What sm_100 shells have in common: pipelines, CLC responses and the TMEM pointer.
struct UmmaHead {
  bool transform = false;  // blockwise: pipelines of scales and accumulators are the mainloop's
  bool dynamic = true;     // scheduling by CLC
  bool async_tensormaps = false;  // four warps keep tensor maps up to date
  int scheduler_stages = 0, accumulator_stages = 0;
};

constexpr void put_umma_head(StorageWriter& w, CutlassStorage& s, const UmmaHead& head) {
  KernelStorage& k = s.kernel;
  const Bytes clc = Bytes{16} * head.scheduler_stages,
              accumulator = Bytes{16} * head.accumulator_stages;
  k.p_mainloop = w.put(Part::pipeline_mainloop, s.mainloop.pipeline, 16);
  if (head.transform) {
    w.put(Part::pipeline_mainloop, s.mainloop.pipeline, 16);  // of scales
    k.p_accumulator = w.put(Part::pipeline_accumulator, accumulator, 16);
  }
  k.p_epilogue_load =
      w.put(Part::pipeline_epilogue_load, s.epilogue.pipeline, 16, s.epilogue.pipeline_slot);
  k.p_load_order = w.put(Part::pipeline_load_order, 16, 16);
  k.p_clc = w.put(Part::pipeline_clc, clc, 16);
  if (!head.transform) k.p_accumulator = w.put(Part::pipeline_accumulator, accumulator, 16);
  k.p_clc_throttle = w.put(Part::pipeline_clc_throttle, head.dynamic ? clc : 1, 16, 16);
  k.p_tmem_dealloc = w.put(Part::pipeline_tmem_dealloc, 8, 16, 16);
  if (head.transform) w.put(Part::pipeline_tmem_dealloc, 8, 16, 16);  // the epilogue's throttle
  if (head.async_tensormaps) k.p_tensormap_ready = w.put(Part::pipeline_tensormap_ready, clc, 16);
  k.pipelines = {0, w.cursor};
  const Bytes responses = head.async_tensormaps ? Bytes{40} * head.scheduler_stages : clc;
  k.clc_response = w.put(Part::clc_response, responses, 16);
  k.tmem_ptr = w.put(Part::tmem_ptr, 4, 4);
}

constexpr void put_tensors(StorageWriter& w, CutlassStorage& s) {
  KernelStorage& k = s.kernel;
  w.align(k.align);
  k.tensors.offset = w.cursor;
  k.epilogue = put_epilogue(w, s);
  k.mainloop = put_mainloop(w, s, s.spec.mainloop.align);
  w.align(k.align);
  k.tensors.bytes = w.cursor - k.tensors.offset;
}

/// sm_100 and sm_103 kernels, dense and grouped. `sets` of tensor maps stand before the tensors.
constexpr void named_umma_shell(CutlassStorage& s, const UmmaHead& head, int sets) {
  KernelStorage& k = s.kernel;
  StorageWriter w{s.plan};
  k.align = std::max({Bytes{128}, s.spec.mainloop.align, s.epilogue.tensors_align});
  put_umma_head(w, s, head);
  if (sets > 0) {
    w.align(128);
    const Bytes one =
        round_up(s.epilogue.tensormaps_slot, 128) + round_up(s.spec.mainloop.tensormaps, 128);
    k.tensormaps = w.put(Part::tensormap_all, sets * one, 128);
  }
  put_tensors(w, s);
  w.plan.pad_to(w.cursor);
  w.plan.finish(k.align);
}

/// The storage of the kernel that `g` names, as the CUTLASS of `builder` lays it out. The plan
/// stays empty where the type cannot exist.
constexpr CutlassStorage named_storage(const NamedGemm& g, Builder builder) {
  CutlassStorage s;
  s.spec.mainloop = named_mainloop(g);
  s.spec.epilogue = g.epilogue;
  s.epilogue = epilogue_storage(g.epilogue);
  s.stages = g.stages;
  if (s.epilogue.tensors_align == 0 || g.stages < 1) return s;
  s.mainloop = mainloop_storage(s.spec.mainloop, BuilderSum{.stages = g.stages});
  s.spec.math_order = g.schedule == NamedSchedule::pingpong;
  if (g.mainloop->arch == 100) {
    const bool newest = builder == Builder::cutlass_4_5;
    UmmaHead head{.transform = g.mainloop->form == NamedForm::blockwise,
                  .dynamic = !g.grouped() && dynamic_scheduler(g),
                  .async_tensormaps = false,
                  .scheduler_stages = g.scheduler_stages,
                  .accumulator_stages = g.accumulator_stages};
    head.async_tensormaps = newest && g.grouped() && !head.transform;
    named_umma_shell(s, head, !g.grouped() ? 0 : head.async_tensormaps ? 5 : 1);
  } else if (g.grouped()) {
    array_shell(s);
  } else if (g.schedule == NamedSchedule::single) {
    overlap_shell(s);
  } else {
    s.spec.scheduler_bytes = dynamic_scheduler(g) ? Bytes{48} * g.scheduler_stages : 16;
    dense_shell(s);
  }
  return s;
}

}  // namespace tilefit
