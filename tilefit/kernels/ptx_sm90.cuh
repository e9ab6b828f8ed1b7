// SPDX-License-Identifier: Apache-2.0
// One function per SM90 instruction that C++ cannot say (PTX ISA 9.0). wgmma has its own file.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace tilefit::ptx {

using SmemAddress = std::uint32_t;

__device__ __forceinline__ SmemAddress shared_address(const void* p) {
  return static_cast<SmemAddress>(__cvta_generic_to_shared(p));
}

/// threadIdx.x, read anew each time: what follows from it is not kept in registers across a main
/// loop.
__device__ __forceinline__ int thread_index() {
  int x;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(x));
  return x;
}

// mbarrier
// -----------------------------------------------------------------------------------------
__device__ __forceinline__ void barrier_init(SmemAddress b, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(arrivals));
}
__device__ __forceinline__ void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void barrier_expect(SmemAddress b, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(bytes)
               : "memory");
}
/// More bytes for the phase in hand, without arriving.
__device__ __forceinline__ void barrier_expect_more(SmemAddress b, std::uint32_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(b), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void barrier_arrive(SmemAddress b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(b) : "memory");
}
__device__ __forceinline__ void barrier_wait(SmemAddress b, std::uint32_t parity) {
  asm volatile(
      "{.reg .pred p;\n"
      "again_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@p bra.uni done_%=;\n"
      "bra.uni again_%=;\n"
      "done_%=:}\n" ::"r"(b),
      "r"(parity)
      : "memory");
}

// bulk copies
// --------------------------------------------------------------------------------------
__device__ __forceinline__ std::uint64_t policy_evict_first() {
  std::uint64_t p;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(p));
  return p;
}
__device__ __forceinline__ std::uint64_t policy_evict_last() {
  std::uint64_t p;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p));
  return p;
}
__device__ __forceinline__ void copy_bulk(SmemAddress to, const void* from, std::uint32_t bytes,
                                          SmemAddress barrier, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
      : "memory");
}
__device__ __forceinline__ void copy_tensor(SmemAddress to, const CUtensorMap* map, int x, int y,
                                            SmemAddress barrier, std::uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier), "l"(policy)
      : "memory");
}
__device__ __forceinline__ void prefetch_bulk(const void* from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}
__device__ __forceinline__ void prefetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
/// Orders this thread's ordinary shared-memory accesses before its later bulk copies.
__device__ __forceinline__ void fence_async_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// shared memory
// ------------------------------------------------------------------------------------
__device__ __forceinline__ uint4 load_shared(SmemAddress a) {
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(a));
  return v;
}
__device__ __forceinline__ uint2 load_shared_pair(SmemAddress a) {
  uint2 v;
  asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(a));
  return v;
}
/// 8 x 8 transpose of 16-bit elements across the warp.
__device__ __forceinline__ std::uint32_t transpose(std::uint32_t a) {
  std::uint32_t d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}

// arithmetic
// ---------------------------------------------------------------------------------------
__device__ __forceinline__ std::uint32_t mul_bf16x2(std::uint32_t a, std::uint32_t b) {
  std::uint32_t d;
  asm("mul.rn.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
__device__ __forceinline__ std::uint32_t mul_f16x2(std::uint32_t a, std::uint32_t b) {
  std::uint32_t d;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
/// (a ^ b) & mask and (a & mask) | b in one instruction each; the compiler would split the first.
__device__ __forceinline__ std::uint32_t xor_and(std::uint32_t a, std::uint32_t b,
                                                 std::uint32_t mask) {
  std::uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0x28;" : "=r"(d) : "r"(a), "r"(b), "r"(mask));
  return d;
}
__device__ __forceinline__ std::uint32_t and_or(std::uint32_t a, std::uint32_t mask,
                                                std::uint32_t b) {
  std::uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0xEA;" : "=r"(d) : "r"(a), "r"(mask), "r"(b));
  return d;
}
/// The low (high) half twice. Through mov, so that ptxas folds it into the multiply's operand.
__device__ __forceinline__ std::uint32_t low_twice(std::uint32_t x) {
  std::uint32_t d;
  asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {l, l};}" : "=r"(d) : "r"(x));
  return d;
}
__device__ __forceinline__ std::uint32_t high_twice(std::uint32_t x) {
  std::uint32_t d;
  asm("{.reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, h};}" : "=r"(d) : "r"(x));
  return d;
}

// roles
// --------------------------------------------------------------------------------------------
template <int kRegisters>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
__device__ __forceinline__ bool elect_one() {
  std::uint32_t p;
  asm volatile("{.reg .pred q;\nelect.sync _|q, 0xffffffff;\nselp.u32 %0, 1, 0, q;}" : "=r"(p));
  return p != 0;
}
__device__ __forceinline__ void let_next_kernel_start() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__device__ __forceinline__ void wait_for_previous_kernel() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

// reductions into global memory, four neighbours
// ---------------------------------------------------
__device__ __forceinline__ void add_bf16(void* p, uint2 v) {
  asm volatile("red.relaxed.gpu.global.add.noftz.v2.bf16x2 [%0], {%1, %2};" ::"l"(p), "r"(v.x),
               "r"(v.y)
               : "memory");
}
__device__ __forceinline__ void add_fp16(void* p, uint2 v) {
  asm volatile("red.relaxed.gpu.global.add.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(p), "r"(v.x),
               "r"(v.y)
               : "memory");
}
__device__ __forceinline__ void add_f32(void* p, float4 v) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
}

}  // namespace tilefit::ptx
