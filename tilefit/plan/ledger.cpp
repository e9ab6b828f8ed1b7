// SPDX-License-Identifier: Apache-2.0
// The builder's sum beside the bytes that the storage really has: where a tile's bytes were
// forgotten.
#include <string>

#include "tilefit/plan/cutlass_kinds.h"
#include "tilefit/plan/plan.h"

namespace tilefit {
namespace {

Bytes bytes_of(const SmemPlan& plan, Part part) {
  Bytes sum = 0;
  for (const Region& r : plan)
    if (r.part == part) sum += r.bytes;
  return sum;
}

/// Lines are collected by the part they speak of, so that none is counted twice.
class Lines {
 public:
  Lines(Ledger& to, const SmemPlan& plan) : to_(to), plan_(plan) {}

  void add(std::string what, Bytes believed, std::initializer_list<Part> parts) {
    Bytes real = 0;
    for (const Part p : parts) {
      real += bytes_of(plan_, p);
      seen_[static_cast<std::size_t>(p)] = true;
    }
    if (believed != 0 || real != 0) to_.lines.push_back({std::move(what), believed, real});
  }

  /// What the builder set aside; two reserves for one part become one line.
  void add_reserves(const BuilderSpec& b) {
    for (int i = 0; i < b.count; ++i) {
      const Reserve& r = b.reserves[static_cast<std::size_t>(i)];
      if (seen_[static_cast<std::size_t>(r.part)]) continue;
      std::string what(r.what);
      Bytes believed = r.bytes;
      for (int j = i + 1; j < b.count; ++j) {
        const Reserve& other = b.reserves[static_cast<std::size_t>(j)];
        if (other.part != r.part) continue;
        what += ", " + std::string(other.what);
        believed += other.bytes;
      }
      add(std::move(what), believed, {r.part});
    }
  }

  void add_forgotten() {
    for (const Region& r : plan_)
      if (r.part != Part::pad && !seen_[static_cast<std::size_t>(r.part)])
        add(std::string(name(r.part)), 0, {r.part});
  }

 private:
  Ledger& to_;
  const SmemPlan& plan_;
  std::array<bool, kPartNames.size()> seen_{};
};

}  // namespace

Ledger ledger(const TileRequest& request) {
  Ledger out;
  CutlassStorage s;
  if (!cutlass_storage_of(request, s)) return out;
  const BuilderSpec& b = s.spec.builder;
  out.capacity = b.capacity;
  out.reserved = b.reserved();
  out.carveout = s.builder.carveout;
  out.stage = s.builder.stage;
  out.quotient = s.builder.quotient;
  out.stages = s.stages;
  if (s.stages < 2) return out;

  const EpilogueStorage& e = s.epilogue;
  const Bytes pipelines =
      s.stages * b.pipeline_per_stage +
      (s.builder.scale_stages > 0 ? (s.builder.scale_stages - s.stages) * Bytes{16} : 0);
  const Bytes stages = s.builder.believed - out.reserved - out.carveout - pipelines;
  const auto filled = [](const Span& span) { return span.bytes > 1 ? span.bytes : 0; };
  const bool shared = e.c.bytes > 1 && e.c.offset == e.d.offset;
  const Bytes staged = shared ? std::max(e.c.bytes, e.d.bytes) : filled(e.c) + filled(e.d);
  const Bytes maps = e.spec.in_smem ? e.tensormaps : 0, pipe = e.spec.in_smem ? e.pipeline : 0;
  Lines lines(out, s.plan);
  lines.add(
      "mainloop tensors, " + std::to_string(s.stages) + " stages", stages,
      {Part::mainloop_a, Part::mainloop_b, Part::mainloop_sfa, Part::mainloop_sfb,
       Part::mainloop_scale_a, Part::mainloop_scale_b, Part::mainloop_scale, Part::mainloop_zero});
  lines.add("mainloop pipeline", pipelines, {Part::pipeline_mainloop});
  lines.add("epilogue staging of C and D", staged,
            {Part::epilogue_c, Part::epilogue_d, Part::epilogue_cd});
  lines.add("epilogue fusion row", filled(e.thread), {Part::epilogue_thread});
  lines.add("epilogue tensor maps", maps, {Part::tensormap_epilogue});
  lines.add("epilogue load pipeline", pipe, {Part::pipeline_epilogue_load});
  lines.add("padding inside the epilogue's storage",
            out.carveout - staged - filled(e.thread) - maps - pipe, {});
  lines.add_reserves(b);
  lines.add_forgotten();
  Bytes tail = 0;
  if (s.plan.count > 0 &&
      s.plan.regions[static_cast<std::size_t>(s.plan.count - 1)].part == Part::pad)
    tail = s.plan.regions[static_cast<std::size_t>(s.plan.count - 1)].bytes;
  const Bytes pads = bytes_of(s.plan, Part::pad);
  if (pads > tail) out.lines.push_back({"alignment between members", 0, pads - tail});
  if (tail > 0)
    out.lines.push_back({"tail rounded up to " + std::to_string(s.plan.align), 0, tail});
  return out;
}

}  // namespace tilefit
