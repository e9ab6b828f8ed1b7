// SPDX-License-Identifier: Apache-2.0
// Runs the GPU tests, or says that there is no GPU for them (exit code 77: skipped).
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  cudaDeviceProp prop{};
  int devices = 0;
  if (!testing::GTEST_FLAG(list_tests) &&
      (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 ||
       cudaGetDeviceProperties(&prop, 0) != cudaSuccess || prop.major != 9)) {
    std::printf("skipped: no GPU of compute capability 9.0 here\n");
    return 77;
  }
  return RUN_ALL_TESTS();
}
