// SPDX-License-Identifier: Apache-2.0
// What the GPU can do in this run: read rate, bf16 matrix rate (cuBLAS), clocks and watts.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace tilefit::moe_bench {

inline void cuda_check(cudaError_t code, const char* file, int line) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "error: %s (%s:%d)\n", cudaGetErrorString(code), file, line);
  std::exit(2);
}
inline void cuda(cudaError_t code, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  cuda_check(code, file, line);
}

struct Ceilings {
  double read_bytes_per_us = 0;
  double burst_flops_per_us = 0, sustained_flops_per_us = 0;  // sustained = burst when not measured
  double sustained_mhz = 0, sustained_watts = 0;
};
Ceilings measure_ceilings(double sustain_seconds);
void print_ceilings(const Ceilings& c);

/// Microseconds in which a plain kernel reads `bytes` that are not in L2, launch gap included.
double read_us(std::int64_t bytes);

/// Microseconds of `timed` replays after `warm` ones.
float replay_us(cudaGraphExec_t graph, int warm, int timed);

/// Mean time of a replay, and mean clock and power, over the second half of `seconds` of replays.
struct Load {
  double us = 0, mhz = 0, watts = 0;
};
Load sustain(cudaGraphExec_t graph, double seconds);

}  // namespace tilefit::moe_bench
