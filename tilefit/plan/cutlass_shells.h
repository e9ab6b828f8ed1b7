// SPDX-License-Identifier: Apache-2.0
// GemmUniversal::SharedStorage: the order in which the four kernel shells lay out tensors,
// pipelines, scheduler and tensor maps. Sources: sm90_gemm_array_tma_warpspecialized_*.hpp (array),
// sm90_gemm_tma_warpspecialized_*.hpp (dense), sm100_gemm_array_*.hpp (umma), sm103_*.hpp (ultra),
// each as bundled with flashinfer-python 0.7.4; offsets confirmed by offsetof (truth/cutlass.csv).
#pragma once

#include "tilefit/plan/cutlass_collective.h"

namespace tilefit {

/// Lays members down in order. Empty types take their slot but are no region.
struct StorageWriter {
  SmemPlan& plan;
  Bytes cursor = 0;

  constexpr void align(Bytes to) { cursor = round_up(cursor, to); }
  constexpr Span put(Part part, Bytes bytes, Bytes align_to, Bytes slot = 0) {
    align(align_to);
    const Span span{cursor, bytes};
    if (bytes > 1) plan.place(part, cursor, bytes, align_to);
    cursor += std::max(bytes, slot);
    return span;
  }
  /// `span` is relative to `base`; the cursor does not move.
  constexpr void put_at(Part part, Bytes base, const Span& span, Bytes align_to) {
    if (span.bytes > 1) plan.place(part, base + span.offset, span.bytes, align_to);
  }
};

/// Mainloop tensors from `base`; the cursor ends behind them.
constexpr Span put_mainloop(StorageWriter& w, const CutlassStorage& s, Bytes align_to) {
  w.align(align_to);
  const Span all{w.cursor, s.mainloop.bytes};
  for (int i = 0; i < s.spec.mainloop.count; ++i) {
    const StageTensor& t = s.spec.mainloop.tensors[static_cast<std::size_t>(i)];
    w.put_at(t.part, all.offset, s.mainloop.tensors[static_cast<std::size_t>(i)], t.align);
  }
  w.put_at(Part::mainloop_zero, all.offset, s.mainloop.zero, 16);
  w.cursor = all.end();
  return all;
}

/// Epilogue tensors; C and D in one union are one region.
constexpr Span put_epilogue(StorageWriter& w, const CutlassStorage& s) {
  const EpilogueStorage& e = s.epilogue;
  w.align(e.tensors_align);
  const Span all{w.cursor, e.tensors};
  if (e.c.bytes > 1 && e.c.offset == e.d.offset) {
    w.put_at(Part::epilogue_cd, all.offset, {0, std::max(e.c.bytes, e.d.bytes)}, e.tensors_align);
  } else {
    w.put_at(Part::epilogue_c, all.offset, e.c, e.tensors_align);
    w.put_at(Part::epilogue_d, all.offset, e.d, e.tensors_align);
  }
  w.put_at(Part::epilogue_thread, all.offset, e.thread, e.thread_align);
  w.cursor = all.end();
  return all;
}

/// Tensors first, then pipelines, scheduler responses, tensor maps (grouped sm_90 and sm_120
/// kernels).
constexpr void array_shell(CutlassStorage& s) {
  KernelStorage& k = s.kernel;
  StorageWriter w{s.plan};
  k.align = std::max({Bytes{128}, s.spec.mainloop.align, s.epilogue.tensors_align});
  k.mainloop = put_mainloop(w, s, 1);
  k.epilogue = put_epilogue(w, s);
  w.align(k.align);
  k.tensors = {0, w.cursor};
  k.pipelines.offset = w.cursor;
  if (s.spec.scheduler) k.p_scheduler = w.put(Part::pipeline_scheduler, 128, 16);
  k.p_mainloop = w.put(Part::pipeline_mainloop, s.mainloop.pipeline, 16);
  k.p_epilogue_load =
      w.put(Part::pipeline_epilogue_load, s.epilogue.pipeline, 16, s.epilogue.pipeline_slot);
  k.p_load_order = w.put(Part::pipeline_load_order, 16, 16);
  if (s.spec.math_order) k.p_math_order = w.put(Part::pipeline_math_order, 32, 16);
  k.pipelines.bytes = w.cursor - k.pipelines.offset;
  if (s.spec.scheduler) k.scheduler_response = w.put(Part::scheduler_response, 128, 16);
  w.align(128);
  k.tensormaps.offset = w.cursor;
  k.tm_mainloop = w.put(Part::tensormap_mainloop, s.spec.mainloop.tensormaps, 128, 128);
  k.tm_epilogue = w.put(Part::tensormap_epilogue, s.epilogue.tensormaps, 128);
  k.tensormaps.bytes = w.cursor - k.tensormaps.offset;
  w.plan.pad_to(w.cursor);
  w.plan.finish(k.align);
}

/// Pipelines and scheduler first, then epilogue and mainloop tensors (dense sm_120 kernels).
constexpr void dense_shell(CutlassStorage& s) {
  KernelStorage& k = s.kernel;
  StorageWriter w{s.plan};
  k.align = std::max({Bytes{128}, s.spec.mainloop.align, s.epilogue.tensors_align});
  k.p_mainloop = w.put(Part::pipeline_mainloop, s.mainloop.pipeline, 16);
  k.p_epilogue_load =
      w.put(Part::pipeline_epilogue_load, s.epilogue.pipeline, 16, s.epilogue.pipeline_slot);
  if (s.spec.math_order) k.p_math_order = w.put(Part::pipeline_math_order, 32, 16);
  k.p_load_order = w.put(Part::pipeline_load_order, 16, 16);
  k.pipelines = {0, w.cursor};
  k.scheduler = w.put(Part::scheduler_storage, s.spec.scheduler_bytes, 16);
  w.align(k.align);
  k.tensors.offset = w.cursor;
  k.epilogue = put_epilogue(w, s);
  k.mainloop = put_mainloop(w, s, s.spec.mainloop.align);
  w.align(k.align);
  k.tensors.bytes = w.cursor - k.tensors.offset;
  w.plan.pad_to(w.cursor);
  w.plan.finish(k.align);
}

/// Pipelines, CLC responses, TMEM pointer, tensor maps, tensors (grouped sm_100 kernels; ultra:
/// sm_103).
constexpr void umma_shell(CutlassStorage& s) {
  const bool ultra = s.spec.shell == Shell::ultra;
  KernelStorage& k = s.kernel;
  StorageWriter w{s.plan};
  k.align = std::max({Bytes{128}, s.spec.mainloop.align, s.epilogue.tensors_align});
  k.p_mainloop = w.put(Part::pipeline_mainloop, s.mainloop.pipeline, 16);
  k.p_epilogue_load =
      w.put(Part::pipeline_epilogue_load, s.epilogue.pipeline, 16, s.epilogue.pipeline_slot);
  k.p_load_order = w.put(Part::pipeline_load_order, 16, 16);
  k.p_clc = w.put(Part::pipeline_clc, ultra ? 48 : 128, 16);
  k.p_accumulator =
      w.put(Part::pipeline_accumulator, Bytes{16} * s.spec.builder.accumulator_stages, 16);
  k.p_clc_throttle = w.put(Part::pipeline_clc_throttle, 1, 16, ultra ? 8 : 16);
  k.p_tmem_dealloc = w.put(Part::pipeline_tmem_dealloc, 8, 8, ultra ? 8 : 16);
  if (!ultra) k.p_tensormap_ready = w.put(Part::pipeline_tensormap_ready, 128, 16);
  k.pipelines = {0, w.cursor};
  k.clc_response = w.put(Part::clc_response, ultra ? 48 : 320, 16);
  k.tmem_ptr = w.put(Part::tmem_ptr, 4, 4);
  w.align(128);
  k.tensormaps.offset = w.cursor;
  if (ultra) {
    k.tm_epilogue =
        w.put(Part::tensormap_epilogue, s.epilogue.tensormaps, 128, s.epilogue.tensormaps_slot);
    k.tm_mainloop = w.put(Part::tensormap_mainloop, s.spec.mainloop.tensormaps, 128);
  } else {
    w.put(Part::tensormap_all, 5 * (s.epilogue.tensormaps_slot + s.spec.mainloop.tensormaps), 128);
  }
  k.tensormaps.bytes = w.cursor - k.tensormaps.offset;
  w.align(k.align);
  k.tensors.offset = w.cursor;
  k.epilogue = put_epilogue(w, s);
  k.mainloop = put_mainloop(w, s, s.spec.mainloop.align);
  w.align(k.align);
  k.tensors.bytes = w.cursor - k.tensors.offset;
  w.plan.pad_to(w.cursor);
  w.plan.finish(k.align);
}

/// Everything behind a spec: epilogue, stages (the builder's unless `requested` > 0), mainloop,
/// shell. With fewer than two stages, or an epilogue without a swizzle, the plan stays empty.
constexpr CutlassStorage cutlass_storage(const CutlassSpec& spec, int requested) {
  CutlassStorage s{.spec = spec};
  s.epilogue = epilogue_storage(spec.epilogue);
  if (s.epilogue.tensors_align == 0) return s;
  s.builder = builder_sum(spec.builder, spec.mainloop, s.epilogue, requested);
  s.stages = s.builder.stages;
  if (s.stages < 2) return s;
  s.mainloop = mainloop_storage(spec.mainloop, s.builder);
  switch (spec.shell) {
    case Shell::array:
      array_shell(s);
      break;
    case Shell::dense:
      dense_shell(s);
      break;
    case Shell::umma:
    case Shell::ultra:
      umma_shell(s);
      break;
  }
  return s;
}

}  // namespace tilefit
