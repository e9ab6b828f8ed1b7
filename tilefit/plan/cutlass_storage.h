// SPDX-License-Identifier: Apache-2.0
// What a CUTLASS 3.x TMA warp-specialised GEMM keeps in shared memory, member by member, and what
// its collective builder believed while it chose the number of stages. A "spec" says what one
// architecture's kernels are made of; a "storage" says where every byte of it ends up.
// All forms are checked byte for byte against sizeof and offsetof of compiled types
// (truth/cutlass.csv).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tilefit/model/smem_plan.h"
#include "tilefit/model/tile.h"

namespace tilefit {

/// Where a member lies. bytes 0 = the kernel has no such member; bytes 1 = an empty C++ type.
struct Span {
  Bytes offset = 0, bytes = 0;
  constexpr Bytes end() const { return offset + bytes; }
  bool operator==(const Span&) const = default;
};

/// The epilogue collective as the builder's dispatch policy shapes it.
struct EpilogueSpec {
  int tile_m = 0, tile_n = 0;  // accumulators staged at a time
  int stages_c = 0, stages_d = 0;
  bool reuse_c = false;  // policy: C and D of one width share their buffers
  bool delay_store = false;
  int c_bits = 0;  // 0 = void
  int d_bits = 0;  // width of the staged element, also where D itself is void
  bool d_void = false;
  Bytes contiguous = 0;  // elements along the contiguous side of a staged tile; sets the swizzle
  Bytes swizzle_c = 0, swizzle_d = 0;  // alignments of the swizzles where a type names them; else 0
  Span thread{0, 1};  // fusion callbacks' own storage: bytes and, in `offset`, alignment
  Bytes tensormaps = 0;
  int warp_groups = 0;                   // 0 = not a parameter of this epilogue
  int fragment = 0;                      // accumulators a thread handles at a time (FragmentSize)
  bool in_smem = true;                   // false: registers straight to global memory
  Bytes bare_bytes = 1, bare_align = 1;  // what is left of the struct where in_smem is false
};

struct EpilogueStorage {
  EpilogueSpec spec{};
  Span c{}, d{};  // from the start of the tensor storage
  Bytes collective = 0;
  Span thread{};
  Bytes thread_align = 1;
  Bytes tensors = 0, tensors_align = 1;  // sizeof(TensorStorage)
  Bytes tensormaps = 0, tensormaps_slot = 0;
  Bytes pipeline = 0, pipeline_slot = 0;
  Bytes shared_storage = 0, shared_storage_align = 1;  // what the builder subtracts
};

/// One tensor of the mainloop's ring of stages.
struct StageTensor {
  Part part = Part::pad;
  Bytes bytes = 0;          // a stage
  Bytes align = 128;        // of the array's start
  bool scale_ring = false;  // lies in the second ring (sm_103 keeps scales apart)
  Bytes extra = 0;          // once, behind the last stage
};

struct MainloopSpec {
  std::array<StageTensor, 5> tensors{};
  int count = 0;
  Bytes align = 128;             // of the tensor storage
  Bytes tensormaps = 0;          // bytes of descriptors kept in shared memory; 1 = an empty type
  bool two_empty_tails = false;  // pre-MMA scaling leaves two 16-byte members behind

  constexpr void add(Part part, Bytes bytes, Bytes tensor_align, bool scale_ring = false) {
    tensors[static_cast<std::size_t>(count++)] = {part, bytes, tensor_align, scale_ring, 0};
  }
  constexpr Bytes stage_bytes(bool scale_ring) const {
    Bytes sum = 0;
    for (int i = 0; i < count; ++i)
      if (tensors[static_cast<std::size_t>(i)].scale_ring == scale_ring)
        sum += tensors[static_cast<std::size_t>(i)].bytes;
    return sum;
  }
};

struct MainloopStorage {
  std::array<Span, 5> tensors{};  // as in the spec, from the start of the tensor storage
  Span zero{};
  Bytes bytes = 0;
  Bytes pipeline = 0;
};

/// One thing the builder sets aside before it divides, and the member it stands for.
struct Reserve {
  std::string_view what;
  Part part = Part::pad;
  Bytes bytes = 0;
};

/// The builder's stage arithmetic: (capacity - reserves - carveout) / stage.
struct BuilderSpec {
  Bytes capacity = 0;
  std::array<Reserve, 10> reserves{};
  int count = 0;
  Bytes capacity_align = 1;  // capacity is rounded down to this
  Bytes carveout_align = 1;  // the epilogue's storage is rounded up to this
  Bytes stage_align = 1;
  Bytes pipeline_per_stage = 0;
  int least_stages = 0;      // a floor without a check of what it needs
  int scheduler_stages = 0;  // 0 = not a builder constant here
  int accumulator_stages = 0;

  constexpr void reserve(std::string_view what, Part part, Bytes bytes) {
    reserves[static_cast<std::size_t>(count++)] = {what, part, bytes};
  }
  constexpr Bytes reserved() const {
    Bytes sum = 0;
    for (int i = 0; i < count; ++i) sum += reserves[static_cast<std::size_t>(i)].bytes;
    return sum;
  }
};

struct BuilderSum {
  Bytes reduced_capacity = 0;  // capacity less reserves, rounded down
  Bytes carveout = 0;
  Bytes stage = 0;       // one stage's tensors and pipeline as the builder counts them
  Bytes believed = 0;    // reserves + carveout + stages x stage
  int quotient = 0;      // what the division gives
  int stages = 0;        // after the floor
  int scale_stages = 0;  // stages of the second ring; 0 = there is none
};

/// The shells that CUTLASS puts around its collectives.
enum class Shell : std::uint8_t {
  array,  // tensors, pipelines, scheduler, tensor maps: grouped kernels of sm_90 and sm_120
  dense,  // pipelines, scheduler, tensors: persistent dense kernels of sm_120
  umma,   // pipelines, CLC, TMEM pointer, tensor maps, tensors: grouped kernels of sm_100
  ultra,  // the same with one tensor map slot and two rings: grouped kernels of sm_103
};

struct CutlassSpec {
  Shell shell = Shell::array;
  EpilogueSpec epilogue{};
  MainloopSpec mainloop{};
  BuilderSpec builder{};
  bool scheduler = true;      // a scheduler pipeline and its responses (array shell)
  bool math_order = false;    // pingpong: the two math warp groups take turns
  Bytes scheduler_bytes = 0;  // dense shell
  int cooperative = -1;       // builder constant IsCooperative; -1 = not one here
  int threads = 384;
  bool names_storages = false;  // the builder names each reserve (CUTLASS 4.5 sm_120, sm_103)
};

struct KernelStorage {
  Span tensors{}, mainloop{}, epilogue{}, pipelines{};
  Span p_scheduler{}, p_mainloop{}, p_epilogue_load{}, p_load_order{}, p_math_order{};
  Span p_accumulator{}, p_clc{}, p_clc_throttle{}, p_tmem_dealloc{}, p_tensormap_ready{};
  Span scheduler_response{}, scheduler{}, clc_response{}, tmem_ptr{};
  Span tensormaps{}, tm_mainloop{}, tm_epilogue{};
  Bytes align = 1;
};

struct CutlassStorage {
  CutlassSpec spec{};
  int stages = 0;
  EpilogueStorage epilogue{};
  MainloopStorage mainloop{};
  BuilderSum builder{};
  KernelStorage kernel{};
  SmemPlan plan{};
};

}  // namespace tilefit
