// SPDX-License-Identifier: Apache-2.0
// A library that calls the CUDA runtime the way nvcc's host code and its users do. It is never run:
// host_code_test.cpp reads it, built several ways, and expects of each kernel what kExpected says.
// tests/data/host_fixture_arm64.so.gz is this file for aarch64 (tools/regen_host_fixture.sh).
using Size = decltype(sizeof 0);

extern "C" {
int cudaFuncSetAttribute(const void* function, int attribute, int value);
int cudaLaunchKernelExC(const void* config, const void* function, void** arguments);
int cudaLaunchKernel(const void* function, Size grid1, unsigned grid2, Size block1, unsigned block2,
                     void** arguments, Size bytes, void* stream);
int cuFuncSetAttribute(void* function, int attribute, int value);
int cuModuleGetFunction(void** function, void* module, const char* name);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int threads, void* tid, void* bid, void* block, void* grid, int* warp);
int choose(int);
void change(int* value);
void change_config(void* config);
}

struct Config {
  unsigned grid[3], block[3];
  Size bytes;
  void* stream;
  void* attributes;
  unsigned count;
};

// Host functions that stand for kernels; each has code of its own.
#define KERNEL(name, number)                                \
  extern "C" __attribute__((noinline)) int name(int* out) { \
    *out = number;                                          \
    return choose(number);                                  \
  }
KERNEL(plain, 1)
KERNEL(left, 2)
KERNEL(right, 3)
KERNEL(computed, 4)
KERNEL(other_attribute, 5)
KERNEL(through_memory, 6)
KERNEL(changed_in_memory, 7)
KERNEL(by_config, 8)
KERNEL(changed_config, 9)
KERNEL(by_helper, 10)
KERNEL(twice, 11)
KERNEL(in_loop, 12)
KERNEL(after_throw, 13)
KERNEL(after_switch, 14)
KERNEL(launched, 15)
KERNEL(conditional, 16)
KERNEL(helper_config, 17)

namespace {
const void* address(int (*kernel)(int*)) { return reinterpret_cast<const void*>(kernel); }
constexpr int kDynamic = 8, kCarveout = 9;
}  // namespace

extern "C" void set_plain() {
  cudaFuncSetAttribute(address(plain), kDynamic, 73728);
  cudaFuncSetAttribute(address(other_attribute), kCarveout, 50);
}

// One call may serve both kernels in the end; each has its own size.
extern "C" int set_either(int which) {
  const void* kernel;
  int bytes;
  if (choose(which) != 0) {
    kernel = address(left);
    bytes = 65537;
    asm volatile("");
  } else {
    kernel = address(right);
    bytes = 98305;
    asm volatile("");
  }
  return cudaFuncSetAttribute(kernel, kDynamic, bytes);
}

extern "C" void set_computed(int bytes) {
  cudaFuncSetAttribute(address(computed), kDynamic, bytes * 1024 + choose(bytes));
}

extern "C" void set_through_memory() {
  volatile int bytes = 40960;
  cudaFuncSetAttribute(address(through_memory), kDynamic, bytes);
}

extern "C" void set_changed_in_memory() {
  int bytes = 40961;
  change(&bytes);
  cudaFuncSetAttribute(address(changed_in_memory), kDynamic, bytes);
}

extern "C" void launch_config(unsigned blocks, void** arguments) {
  Config config{{blocks, 1, 1}, {128, 1, 1}, 50000, nullptr, nullptr, 0};
  cudaLaunchKernelExC(&config, address(by_config), arguments);
}

extern "C" void launch_changed_config(unsigned blocks, void** arguments) {
  Config config{{blocks, 1, 1}, {128, 1, 1}, 50001, nullptr, nullptr, 0};
  change_config(&config);
  cudaLaunchKernelExC(&config, address(changed_config), arguments);
}

namespace {
__attribute__((noinline)) int set_size(const void* kernel, int bytes) {
  asm volatile("");
  return cudaFuncSetAttribute(kernel, kDynamic, bytes) + choose(bytes);
}
__attribute__((noinline)) int launch(const Config* config, const void* kernel, void** arguments) {
  asm volatile("");
  return cudaLaunchKernelExC(config, kernel, arguments) + choose(1);
}
}  // namespace

extern "C" void use_helpers(void** arguments) {
  set_size(address(by_helper), 81920);
  Config config{{1, 1, 1}, {128, 1, 1}, 51200, nullptr, nullptr, 0};
  launch(&config, address(helper_config), arguments);
}

extern "C" void set_twice(int large) {
  if (large != 0)
    cudaFuncSetAttribute(address(twice), kDynamic, 100000);
  else
    cudaFuncSetAttribute(address(twice), kDynamic, 50002);
}

extern "C" void set_in_loop() {
  for (int bytes = 1000; bytes < 90000; bytes += 1000) {
    if (cudaFuncSetAttribute(address(in_loop), kDynamic, bytes) != 0) break;
  }
}

// The size differs by the way in which the call is reached.
extern "C" void set_after_throw() {
  int bytes = 60001;
  try {
    choose(1);
    bytes = 60002;
    choose(2);
  } catch (...) {
    bytes = 60003;
  }
  cudaFuncSetAttribute(address(after_throw), kDynamic, bytes);
}

extern "C" void set_after_switch(int which) {
  int bytes = 70000;
  switch (which) {
    case 0:
      bytes = choose(0) + 1;
      break;
    case 1:
      bytes = 70001;
      choose(1);
      break;
    case 2:
      choose(2);
      bytes = 70002;
      choose(12);
      break;
    case 3:
      choose(3);
      bytes = 70003;
      break;
    case 4:
      bytes = 70004;
      choose(4);
      break;
    case 5:
      choose(5);
      break;
    case 6:
      choose(6);
      choose(16);
      bytes = 70006;
      break;
    default:
      bytes = 70007;
      break;
  }
  cudaFuncSetAttribute(address(after_switch), kDynamic, bytes);
}

extern "C" void launch_directly(void** arguments) {
  cudaLaunchKernel(address(launched), (Size{1} << 32) | 4, 1, (Size{1} << 32) | 128, 1, arguments,
                   12345, nullptr);
}

extern "C" void set_conditional(int flag) {
  const int bytes = flag > 3 ? 30001 : 30002;
  cudaFuncSetAttribute(address(conditional), kDynamic, bytes);
}

extern "C" void set_by_driver(void* module) {
  void* function = nullptr;
  cuModuleGetFunction(&function, module, "_Z6drivenPf");
  cuFuncSetAttribute(function, kDynamic, 66000);
}

extern "C" __attribute__((constructor)) void register_all(void) {
  static void* handle;
  int* const none = nullptr;
#define REGISTER(function, name)                                           \
  __cudaRegisterFunction(&handle, reinterpret_cast<const char*>(function), \
                         const_cast<char*>(name), name, -1, none, none, none, none, none)
  REGISTER(plain, "_Z5plainPi");
  REGISTER(left, "_Z4leftPi");
  REGISTER(right, "_Z5rightPi");
  REGISTER(computed, "_Z8computedPi");
  REGISTER(other_attribute, "_Z15other_attributePi");
  REGISTER(through_memory, "_Z14through_memoryPi");
  REGISTER(changed_in_memory, "_Z17changed_in_memoryPi");
  REGISTER(by_config, "_Z9by_configPi");
  REGISTER(changed_config, "_Z14changed_configPi");
  REGISTER(by_helper, "_Z9by_helperPi");
  REGISTER(twice, "_Z5twicePi");
  REGISTER(in_loop, "_Z7in_loopPi");
  REGISTER(after_throw, "_Z11after_throwPi");
  REGISTER(after_switch, "_Z12after_switchPi");
  REGISTER(launched, "_Z8launchedPi");
  REGISTER(conditional, "_Z11conditionalPi");
  REGISTER(helper_config, "_Z13helper_configPi");
}
