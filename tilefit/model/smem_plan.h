// SPDX-License-Identifier: Apache-2.0
// SmemPlan: what lies where in a kernel's shared storage. Regions cover [0, total) in order, with
// no gap and no overlap; padding is a region like any other. The same value is printed by
// `tilefit plan` and gives our own kernels their offsets at compile time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

using Bytes = std::int64_t;

/// `x` rounded up to a multiple of `align` (> 0).
constexpr Bytes round_up(Bytes x, Bytes align) {
  if ((align & (align - 1)) == 0)
    return (x + align - 1) & -align;  // a mask is cheaper than a division
  return (x + align - 1) / align * align;
}

/// Whose bytes a region holds. Order is free; names are what users and JSON see.
enum class Part : std::uint8_t {
  mainloop_a,
  mainloop_b,
  mainloop_sfa,
  mainloop_sfb,
  mainloop_scale_a,
  mainloop_scale_b,
  mainloop_scale,
  mainloop_zero,
  epilogue_c,
  epilogue_d,
  epilogue_cd,
  epilogue_thread,
  pipeline_scheduler,
  pipeline_mainloop,
  pipeline_epilogue_load,
  pipeline_load_order,
  pipeline_math_order,
  pipeline_accumulator,
  pipeline_clc,
  pipeline_clc_throttle,
  pipeline_tensormap_ready,
  pipeline_tmem_dealloc,
  scheduler_response,
  scheduler_storage,
  clc_response,
  tensormap_mainloop,
  tensormap_epilogue,
  tensormap_all,
  tmem_ptr,
  pad,
};

inline constexpr std::array<std::string_view, 30> kPartNames{
    "mainloop.a",
    "mainloop.b",
    "mainloop.sfa",
    "mainloop.sfb",
    "mainloop.scale_a",
    "mainloop.scale_b",
    "mainloop.scale",
    "mainloop.zero",
    "epilogue.c",
    "epilogue.d",
    "epilogue.cd",
    "epilogue.thread",
    "pipeline.scheduler",
    "pipeline.mainloop",
    "pipeline.epilogue_load",
    "pipeline.load_order",
    "pipeline.math_order",
    "pipeline.accumulator",
    "pipeline.clc",
    "pipeline.clc_throttle",
    "pipeline.tensormap_ready",
    "pipeline.tmem_dealloc",
    "scheduler.response",
    "scheduler.storage",
    "clc.response",
    "tensormap.mainloop",
    "tensormap.epilogue",
    "tensormap.all",
    "tmem_ptr",
    "pad",
};
static_assert(kPartNames.size() == static_cast<std::size_t>(Part::pad) + 1);

constexpr std::string_view name(Part part) { return kPartNames[static_cast<std::size_t>(part)]; }

struct Region {
  Part part{};  // all zero, so that an empty plan is cheap to make
  Bytes offset = 0, bytes = 0, align = 0;
  constexpr Bytes end() const { return offset + bytes; }
  bool operator==(const Region&) const = default;
};

struct SmemPlan {
  static constexpr int kMaxRegions = 40;
  std::array<Region, kMaxRegions> regions{};
  int count = 0;
  Bytes total = 0;  // bytes placed so far; after finish() what the launch asks for
  Bytes align = 1;  // alignment of the whole storage

  /// Appends a region at the next multiple of `align`; what is skipped becomes padding.
  constexpr void add(Part part, Bytes bytes, Bytes region_align) {
    place(part, round_up(total, region_align), bytes, region_align);
  }

  /// Appends a region at `offset` (>= total); what is skipped becomes padding. Empty ones vanish.
  constexpr void place(Part part, Bytes offset, Bytes bytes, Bytes region_align) {
    if (bytes <= 0) return;
    pad_to(offset);
    push(Region{part, offset, bytes, region_align});
  }

  constexpr void pad_to(Bytes end) {
    if (end > total) push(Region{Part::pad, total, end - total, 1});
  }

  /// Closes the storage: pads its tail to a multiple of `storage_align`.
  constexpr void finish(Bytes storage_align) {
    align = storage_align;
    pad_to(round_up(total, storage_align));
  }

  /// Offset in bytes of the first region of `part`. In constant evaluation an absent one is an
  /// error.
  constexpr Bytes offset(Part part) const { return find(part).offset; }
  constexpr Bytes bytes(Part part) const { return find(part).bytes; }
  constexpr bool has(Part part) const {
    for (int i = 0; i < count; ++i)
      if (regions[static_cast<std::size_t>(i)].part == part) return true;
    return false;
  }

  constexpr const Region* begin() const { return regions.data(); }
  constexpr const Region* end() const { return regions.data() + count; }

 private:
  constexpr void push(const Region& region) {
    if (count == kMaxRegions) throw "more regions than a SmemPlan holds: raise kMaxRegions";
    regions[static_cast<std::size_t>(count++)] = region;
    total = region.end();
  }
  constexpr const Region& find(Part part) const {
    for (int i = 0; i < count; ++i)
      if (regions[static_cast<std::size_t>(i)].part == part)
        return regions[static_cast<std::size_t>(i)];
    throw "this storage has no such part";
  }
};

}  // namespace tilefit
