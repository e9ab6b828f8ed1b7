// SPDX-License-Identifier: Apache-2.0
// Kernels of small_sm90a.cubin (nvcc 13.0.88: nvcc -arch=sm_90a -cubin) and small.ptx
// (nvcc -arch=compute_80 -ptx -DWITHOUT_CLUSTERS).
#include <cstdio>

extern __shared__ char dynamic_bytes[];

__device__ __noinline__ void elsewhere(int* p) { p[threadIdx.x] = 1; }

extern "C" {
__global__ void plain(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(256, 2) bounded(int* p) {
  dynamic_bytes[threadIdx.x] = static_cast<char>(p[0]);
  __syncthreads();
  p[threadIdx.x] = dynamic_bytes[threadIdx.x ^ 1];
}
__global__ void both(int* p) {
  __shared__ int s[1024];
  s[threadIdx.x] = p[0];
  dynamic_bytes[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = s[threadIdx.x ^ 1] + dynamic_bytes[threadIdx.x ^ 1];
  asm volatile("bar.sync 3;");
}
#ifndef WITHOUT_CLUSTERS
__global__ void __cluster_dims__(2, 1, 1) clustered(int* p) { p[threadIdx.x] = 1; }
#endif
__global__ void traps(int*) { asm volatile("trap;"); }
__global__ void prints_and_traps(int*) {
  printf("not for this chip\n");
  asm volatile("trap;");
}
__global__ void calls(int* p) { elsewhere(p); }
__global__ void empty(int*) {}
}
