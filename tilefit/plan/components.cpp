// SPDX-License-Identifier: Apache-2.0
// A plan's numbers under the names that truth/cutlass.csv gives them: m_ mainloop tensors, epi_ and
// smem_ epilogue, k_ the kernel's shared storage, b_ the builder's arithmetic.
#include "tilefit/plan/cutlass_kinds.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

class Sink {
 public:
  explicit Sink(std::vector<Component>& out) : out_(out) {}
  void add(std::string_view name, Bytes value) { out_.push_back({name, value}); }
  void add(std::string_view name, std::string_view offset_name, const Span& span) {
    if (span.bytes == 0) return;
    add(name, span.bytes);
    add(offset_name, span.offset);
  }

 private:
  std::vector<Component>& out_;
};

void epilogue_components(Sink& sink, const EpilogueStorage& e) {
  if (e.spec.in_smem) {
    sink.add("stages_c", e.spec.stages_c);
    sink.add("stages_d", e.spec.stages_d);
    sink.add("reuse_c", e.spec.reuse_c);
    sink.add("delay", e.spec.delay_store);
    sink.add("epi_collective", "epi_collective_off", {0, e.collective});
    sink.add("smem_C", "smem_C_off", e.c);
    sink.add("smem_D", "smem_D_off", e.d);
  }
  if (e.spec.warp_groups > 0) sink.add("epi_wgs", e.spec.warp_groups);
  sink.add("epi_tile_m", e.spec.tile_m);
  sink.add("epi_tile_n", e.spec.tile_n);
  sink.add("epi_ss", e.shared_storage);
  sink.add("epi_ss_align", e.shared_storage_align);
  sink.add("epi_ts", e.tensors);
  sink.add("epi_ts_align", e.tensors_align);
  if (e.thread.bytes > 0) {
    sink.add("epi_thread", "epi_thread_off", e.thread);
    sink.add("epi_thread_align", e.thread_align);
    sink.add("epi_thread_empty", e.thread.bytes == 1);
  }
  if (e.tensormaps > 0) sink.add("epi_tm", e.tensormaps);
  sink.add("epi_pipe", e.pipeline);
}

void mainloop_components(Sink& sink, const CutlassStorage& s) {
  struct Names {
    Part part;
    std::string_view size, offset;
  };
  static constexpr Names kNames[] = {
      {Part::mainloop_a, "m_smem_A", "m_smem_A_off"},
      {Part::mainloop_b, "m_smem_B", "m_smem_B_off"},
      {Part::mainloop_sfa, "m_smem_SFA", "m_smem_SFA_off"},
      {Part::mainloop_sfb, "m_smem_SFB", "m_smem_SFB_off"},
      {Part::mainloop_scale_a, "m_smem_scale_A", "m_smem_scale_A_off"},
      {Part::mainloop_scale_b, "m_smem_scale_B", "m_smem_scale_B_off"},
      {Part::mainloop_scale, "m_smem_scale", "m_smem_scale_off"},
  };
  for (int i = 0; i < s.spec.mainloop.count; ++i)
    for (const Names& n : kNames)
      if (n.part == s.spec.mainloop.tensors[static_cast<std::size_t>(i)].part)
        sink.add(n.size, n.offset, s.mainloop.tensors[static_cast<std::size_t>(i)]);
  sink.add("m_smem_zero", "m_smem_zero_off", s.mainloop.zero);
  sink.add("main_ts", s.mainloop.bytes);
  sink.add("main_ts_align", s.spec.mainloop.align);
  sink.add("main_pipe", s.mainloop.pipeline);
  if (s.spec.mainloop.tensormaps > 0) sink.add("main_tm", s.spec.mainloop.tensormaps);
}

void kernel_components(Sink& sink, const CutlassStorage& s) {
  const KernelStorage& k = s.kernel;
  sink.add("total", s.plan.total);
  sink.add("k_SharedStorageSize", s.plan.total);
  sink.add("k_align", k.align);
  sink.add("k_tensors", "k_tensors_off", k.tensors);
  sink.add("k_t_main", "k_t_main_off", k.mainloop);
  sink.add("k_t_epi", "k_t_epi_off", k.epilogue);
  sink.add("k_pipes", "k_pipes_off", k.pipelines);
  sink.add("k_p_sched", "k_p_sched_off", k.p_scheduler);
  sink.add("k_p_main", "k_p_main_off", k.p_mainloop);
  sink.add("k_p_epi_load", "k_p_epi_load_off", k.p_epilogue_load);
  sink.add("k_p_load_order", "k_p_load_order_off", k.p_load_order);
  sink.add("k_p_math_order", "k_p_math_order_off", k.p_math_order);
  sink.add("k_p_acc", "k_p_acc_off", k.p_accumulator);
  sink.add("k_p_clc", "k_p_clc_off", k.p_clc);
  sink.add("k_p_clc_throttle", "k_p_clc_throttle_off", k.p_clc_throttle);
  sink.add("k_p_tmem_dealloc", "k_p_tmem_dealloc_off", k.p_tmem_dealloc);
  sink.add("k_sched_resp", "k_sched_resp_off", k.scheduler_response);
  sink.add("k_sched", "k_sched_off", k.scheduler);
  sink.add("k_clc_resp", "k_clc_resp_off", k.clc_response);
  sink.add("k_tmem_base_ptr", "k_tmem_base_ptr_off", k.tmem_ptr);
  sink.add("k_tm", "k_tm_off", k.tensormaps);
  sink.add("k_tm_main", "k_tm_main_off", k.tm_mainloop);
  sink.add("k_tm_epi", "k_tm_epi_off", k.tm_epilogue);
  sink.add("threads", s.spec.threads);
}

/// Constants that the builder's source names; which of them exist differs between builders.
void builder_components(Sink& sink, const CutlassStorage& s, CutlassKind kind) {
  const BuilderSpec& b = s.spec.builder;
  if (b.scheduler_stages > 0) sink.add("b_SchedulerPipelineStageCount", b.scheduler_stages);
  if (s.spec.cooperative >= 0) sink.add("b_IsCooperative", s.spec.cooperative);
  if (b.accumulator_stages > 0) sink.add("b_AccumulatorPipelineStageCount", b.accumulator_stages);
  if (s.builder.scale_stages > 0) sink.add("b_stages_sf", s.builder.scale_stages);
  if (b.count == 0) return;
  const auto reserve = [&](std::string_view what) {
    for (int i = 0; i < b.count; ++i)
      if (b.reserves[static_cast<std::size_t>(i)].what == what)
        return b.reserves[static_cast<std::size_t>(i)].bytes;
    return Bytes{0};
  };
  switch (kind) {
    case CutlassKind::sm120_blockscaled:
      sink.add("b_SchedulerPipelineStorage", reserve("scheduler pipeline"));
      sink.add("b_TensorMapStorage", reserve("tensor maps of A and B"));
      sink.add("b_TensorMapReadyPipelineStorage", reserve("tensor-map-ready pipeline"));
      sink.add("b_CLCResponseStorage", reserve("CLC response"));
      sink.add("b_ReducedSmemCapacityBytes", s.builder.reduced_capacity);
      break;
    case CutlassKind::sm90_same:
      sink.add("b_SchedulerPipelineStorage", reserve("scheduler pipeline"));
      [[fallthrough]];
    case CutlassKind::sm90_mixed:
      sink.add("b_TensorMapStorage", reserve("tensor maps of A and B"));
      sink.add("b_KernelSmemCarveout", b.reserved());
      sink.add("b_Sm90ReducedSmemCapacityBytes", s.builder.reduced_capacity);
      break;
    case CutlassKind::sm103_nvfp4:
      sink.add("b_TensorMapStorage", reserve("tensor maps"));
      sink.add("b_CLCResponseStorage", reserve("CLC response"));
      sink.add("b_AccumulatorPipelineStorage", reserve("accumulator pipeline"));
      sink.add("b_LoadOrderBarrierStorage", reserve("load-order barrier"));
      sink.add("b_TmemDeallocStorage", reserve("TMEM dealloc barrier"));
      sink.add("b_TmemBasePtrsStorage", reserve("TMEM pointers"));
      [[fallthrough]];
    case CutlassKind::sm100_grouped:
      sink.add("b_KernelSmemCarveout", b.reserved());
      sink.add("b_ReducedSmemCapacityBytes", s.builder.reduced_capacity);
      break;
    default:
      break;
  }
}

}  // namespace

std::vector<Component> components(const TileRequest& request) {
  std::vector<Component> out;
  CutlassStorage s;
  if (!cutlass_storage_of(request, s)) return out;
  const CutlassKind kind = cutlass_kind(request.arch->cc, request.tile);
  Sink sink(out);
  sink.add("stages", s.stages);
  sink.add("b_stages", s.stages);
  builder_components(sink, s, kind);
  epilogue_components(sink, s.epilogue);
  const EpilogueSpec& e = s.spec.epilogue;
  if (e.in_smem) sink.add("frag", e.fragment);
  if (s.stages < 2) return out;
  mainloop_components(sink, s);
  kernel_components(sink, s);
  return out;
}

}  // namespace tilefit
