// SPDX-License-Identifier: Apache-2.0
// The functions of the CUDA runtime and driver whose calls say something of a kernel's dynamic
// shared memory, and where their arguments stand. Arguments count as the ABIs pass them: a dim3 by
// value takes two places.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilefit {

enum class HostEffect : std::uint8_t {
  registers,        // (handle, host function, .., name): ties a host function to a kernel's name
  sets_attribute,   // attribute 8 is the largest dynamic size that launches may ask for
  launches,         // a size among the arguments
  launches_config,  // a size inside a struct that an argument points to
  finds_by_name,    // writes a handle of the kernel that an argument names
  finds_by_host,    // writes a handle of the kernel behind a host function
  pops,             // fetches what <<<..>>> pushed: nvcc's launch stubs do
};

struct HostApi {
  std::string_view name;
  HostEffect effect;
  int kernel;     // argument: host function, handle or name
  int attribute;  // argument that selects; -1 = none
  int size;       // argument that holds the size, the config, or receives the handle
  int size_offset = 0, size_bytes = 4;  // inside a config
  std::int64_t fixed_size = -1;         // >= 0: this size, not an argument
};

inline constexpr std::int64_t kAttributeDynamicSmem = 8;

// clang-format off
inline constexpr std::array kHostApis{
    HostApi{"__cudaRegisterFunction", HostEffect::registers, 1, -1, 3},
    HostApi{"cudaFuncSetAttribute", HostEffect::sets_attribute, 0, 1, 2},
    HostApi{"cudaKernelSetAttributeForDevice", HostEffect::sets_attribute, 0, 1, 2},
    HostApi{"cuFuncSetAttribute", HostEffect::sets_attribute, 0, 1, 2},
    HostApi{"cuKernelSetAttribute", HostEffect::sets_attribute, 2, 0, 1},
    HostApi{"cudaLaunchKernel", HostEffect::launches, 0, -1, 6},
    HostApi{"cudaLaunchKernel_ptsz", HostEffect::launches, 0, -1, 6},
    HostApi{"__cudaLaunchKernel", HostEffect::launches, 0, -1, 6},
    HostApi{"__cudaLaunchKernel_ptsz", HostEffect::launches, 0, -1, 6},
    HostApi{"cudaLaunchCooperativeKernel", HostEffect::launches, 0, -1, 6},
    HostApi{"cudaLaunchCooperativeKernel_ptsz", HostEffect::launches, 0, -1, 6},
    HostApi{"cuLaunchKernel", HostEffect::launches, 0, -1, 7},
    HostApi{"cuLaunchKernel_ptsz", HostEffect::launches, 0, -1, 7},
    HostApi{"cuLaunchCooperativeKernel", HostEffect::launches, 0, -1, 7},
    HostApi{"cudaLaunchKernelExC", HostEffect::launches_config, 1, -1, 0, 24, 8},
    HostApi{"cudaLaunchKernelExC_ptsz", HostEffect::launches_config, 1, -1, 0, 24, 8},
    HostApi{"cuLaunchKernelEx", HostEffect::launches_config, 1, -1, 0, 24, 4},
    HostApi{"cuLaunchKernelEx_ptsz", HostEffect::launches_config, 1, -1, 0, 24, 4},
    HostApi{"cuModuleGetFunction", HostEffect::finds_by_name, 2, -1, 0},
    HostApi{"cuLibraryGetKernel", HostEffect::finds_by_name, 2, -1, 0},
    HostApi{"cudaLibraryGetKernel", HostEffect::finds_by_name, 2, -1, 0},
    HostApi{"cudaGetKernel", HostEffect::finds_by_host, 1, -1, 0},
    HostApi{"__cudaGetKernel", HostEffect::finds_by_host, 1, -1, 0},
    HostApi{"cudaGetFuncBySymbol", HostEffect::finds_by_host, 1, -1, 0},
    HostApi{"__cudaPopCallConfiguration", HostEffect::pops, -1, -1, 2},
};
// clang-format on

/// nullptr for a function that says nothing. A trailing version ("@...") is ignored.
constexpr const HostApi* find_host_api(std::string_view name) {
  name = name.substr(0, name.find('@'));
  for (const HostApi& row : kHostApis)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace tilefit
