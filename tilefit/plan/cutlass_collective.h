// SPDX-License-Identifier: Apache-2.0
// The two collectives of a CUTLASS 3.x kernel: sizes of the epilogue's and the mainloop's storage,
// and the builder's division that picks the number of stages. One mechanism for all architectures.
#pragma once

#include <algorithm>

#include "tilefit/plan/cutlass_storage.h"

namespace tilefit {

/// sizeof of an array of `bytes` that starts at 16: a whole number of 16-byte units, never none.
constexpr Bytes array_bytes(Bytes bytes) { return round_up(std::max<Bytes>(bytes, 1), 16); }

/// A count that a policy caps.
constexpr int least(Bytes count, int cap) { return count < cap ? static_cast<int>(count) : cap; }

/// Alignment in bytes that the widest swizzle for `extent` elements of `bits` wants; 0 = no swizzle
/// divides. ss_smem_selector tries 1024, 512, 256 and 128 bits; alignment_for_swizzle gives as many
/// bytes.
constexpr Bytes swizzle_align(Bytes extent, int bits) {
  for (const Bytes width : {1024, 512, 256, 128})
    if (extent * bits % width == 0) return width;
  return 0;
}

/// sizeof(CollectiveEpilogue::SharedStorage) and of all inside it. A storage whose collective has
/// no swizzle comes back with tensors_align 0.
constexpr EpilogueStorage epilogue_storage(const EpilogueSpec& spec) {
  EpilogueStorage e{.spec = spec};
  if (!spec.in_smem) {
    e.tensors = e.shared_storage = spec.bare_bytes;
    e.tensors_align = e.shared_storage_align = spec.bare_align;
    e.tensormaps = spec.bare_bytes;
    e.tensormaps_slot = 128;
    e.pipeline = 2;
    e.pipeline_slot = 16;
    e.thread = {0, spec.bare_bytes > 1 ? Bytes{1} : Bytes{0}};
    return e;
  }
  const Bytes staged = Bytes{spec.tile_m} * spec.tile_n;
  const int c_bits = spec.c_bits > 0 ? spec.c_bits : spec.d_bits;
  const Bytes align_c =
      spec.swizzle_c > 0 ? spec.swizzle_c : swizzle_align(spec.contiguous, c_bits);
  const Bytes align_d =
      spec.swizzle_d > 0 ? spec.swizzle_d : swizzle_align(spec.contiguous, spec.d_bits);
  if (align_c == 0 || align_d == 0) return EpilogueStorage{.spec = spec, .tensors_align = 0};
  const bool shared = spec.reuse_c && !spec.d_void;
  const Bytes c = spec.stages_c * staged * c_bits / 8;
  const Bytes d = (shared ? spec.stages_c : spec.stages_d) * staged * spec.d_bits / 8;
  Bytes align = std::max(align_c, align_d);
  if (spec.c_bits == 0) {  // void C: an empty base, D alone
    align = align_d;
    e.c = {0, 1};
    e.d = {0, d};
    e.collective = round_up(d, align);
  } else if (shared) {  // one union
    e.c = {0, c};
    e.d = {0, d};
    e.collective = round_up(std::max(c, d), align);
  } else {
    e.c = {0, c};
    e.d = {round_up(c, align_d), d};
    e.collective = round_up(e.d.end(), align);
  }
  e.thread_align = spec.thread.offset > 0 ? spec.thread.offset : 1;
  e.tensors_align = std::max(align, e.thread_align);
  e.thread = {round_up(e.collective, e.thread_align), spec.thread.bytes};
  e.tensors = round_up(e.thread.end(), e.tensors_align);
  e.tensormaps = e.tensormaps_slot = spec.tensormaps;
  e.pipeline = e.pipeline_slot = Bytes{16} * spec.stages_c;
  const Bytes inner = spec.tensormaps > 0 ? 128 : 8;
  e.shared_storage_align = std::max(e.tensors_align, inner);
  e.shared_storage =
      round_up(round_up(e.tensors, inner) + e.tensormaps + e.pipeline, e.shared_storage_align);
  return e;
}

/// The quotient that StageCountAutoCarveout gives, or `requested` stages as they are.
constexpr BuilderSum builder_sum(const BuilderSpec& spec, const MainloopSpec& mainloop,
                                 const EpilogueStorage& epilogue, int requested) {
  BuilderSum sum;
  const Bytes stage = mainloop.stage_bytes(false), scales = mainloop.stage_bytes(true);
  sum.reduced_capacity = spec.capacity - spec.reserved();
  sum.carveout = round_up(epilogue.shared_storage, spec.carveout_align);
  sum.stage = round_up(stage + scales, spec.stage_align) + spec.pipeline_per_stage;
  const Bytes room =
      sum.reduced_capacity / spec.capacity_align * spec.capacity_align - sum.carveout;
  // Truncates towards zero as C++ does in the builder; a negative room gives 0 or less.
  sum.quotient = static_cast<int>(room / sum.stage);
  sum.stages = requested > 0 ? requested : std::max(sum.quotient, spec.least_stages);
  Bytes believed = spec.reserved() + sum.carveout + sum.stages * sum.stage;
  if (scales >
      0) {  // a second ring takes what the first left: its stages and pipelines come on top
    const Bytes left = room - sum.stages * sum.stage;
    const int more = static_cast<int>(left / (16 + scales));
    sum.scale_stages = sum.stages + more;
    believed += more * (16 + scales);
  }
  sum.believed = believed;
  return sum;
}

/// sizeof(CollectiveMainloop::TensorStorage) for so many stages, tensor by tensor.
constexpr MainloopStorage mainloop_storage(const MainloopSpec& spec, const BuilderSum& sum) {
  MainloopStorage m;
  Bytes end = 0;
  for (int i = 0; i < spec.count; ++i) {
    const StageTensor& t = spec.tensors[static_cast<std::size_t>(i)];
    const Bytes bytes =
        array_bytes(t.bytes * (t.scale_ring ? sum.scale_stages : sum.stages) + t.extra);
    m.tensors[static_cast<std::size_t>(i)] = {round_up(end, t.align), bytes};
    end = m.tensors[static_cast<std::size_t>(i)].end();
  }
  if (spec.two_empty_tails) {
    m.zero = {round_up(end, 16) + 16, 16};
    end = m.zero.end();
  }
  m.bytes = round_up(end, spec.align);
  m.pipeline = Bytes{16} * (sum.stages + sum.scale_stages);
  return m;
}

}  // namespace tilefit
