// SPDX-License-Identifier: Apache-2.0
#include "tilefit/cli/here.h"

#include <dlfcn.h>

#include <memory>

namespace tilefit {
namespace {

// The driver API's few entry points, by their documented C signatures (CUDA Driver API, "Device
// Management"); attribute numbers are those of CUdevice_attribute.
using CuInit = int (*)(unsigned);
using CuDeviceGetCount = int (*)(int*);
using CuDeviceGet = int (*)(int*, int);
using CuDeviceGetName = int (*)(char*, int, int);
using CuDeviceGetAttribute = int (*)(int*, int, int);

enum Attribute : int {
  sm_count = 16,
  cc_major = 75,
  cc_minor = 76,
  smem_per_sm = 81,
  smem_opt_in = 97
};

struct Close {
  void operator()(void* library) const { ::dlclose(library); }
};

template <class F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(::dlsym(library, name));
}

}  // namespace

Result<std::vector<GpuHere>> gpus_here() {
  const std::unique_ptr<void, Close> library(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
  const Error none{"no CUDA driver on this machine", "--gpu",
                   "name a GPU, such as --gpu 'rtx pro 6000' or --gpu sm_120"};
  if (!library) return none;
  const auto init = symbol<CuInit>(library.get(), "cuInit");
  const auto count = symbol<CuDeviceGetCount>(library.get(), "cuDeviceGetCount");
  const auto get = symbol<CuDeviceGet>(library.get(), "cuDeviceGet");
  const auto get_name = symbol<CuDeviceGetName>(library.get(), "cuDeviceGetName");
  const auto attribute = symbol<CuDeviceGetAttribute>(library.get(), "cuDeviceGetAttribute");
  if (!init || !count || !get || !get_name || !attribute) return none;
  int devices = 0;
  if (const int status = init(0); status != 0)
    return Error{"the CUDA driver does not start (cuInit gives " + std::to_string(status) + ")",
                 "--gpu", "name a GPU with --gpu, or mend the driver"};
  if (count(&devices) != 0 || devices == 0)
    return Error{"the CUDA driver shows no GPU", "--gpu", "name a GPU with --gpu"};
  std::vector<GpuHere> out;
  for (int i = 0; i < devices; ++i) {
    int device = 0, major = 0, minor = 0, opt_in = 0, pool = 0, sms = 0;
    char name[256]{};
    if (get(&device, i) != 0 || get_name(name, sizeof name - 1, device) != 0 ||
        attribute(&major, cc_major, device) != 0 || attribute(&minor, cc_minor, device) != 0 ||
        attribute(&opt_in, smem_opt_in, device) != 0 ||
        attribute(&pool, smem_per_sm, device) != 0 || attribute(&sms, sm_count, device) != 0)
      return Error{"the CUDA driver does not answer for GPU " + std::to_string(i), "--gpu",
                   "name a GPU with --gpu"};
    out.push_back({name, 10 * major + minor, opt_in, pool, sms});
  }
  return out;
}

}  // namespace tilefit
