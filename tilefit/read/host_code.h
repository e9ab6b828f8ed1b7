// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory that host code asks for, kernel by kernel. nvcc's host side registers each
// kernel by name (__cudaRegisterFunction) and calls the runtime with constants where the size is
// known at compile time; what is computed at run time stays unknown.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tilefit/model/facts.h"
#include "tilefit/model/smem_plan.h"
#include "tilefit/read/elf.h"

namespace tilefit {

/// What said so: an attribute bounds what launches may ask for, a launch asks.
enum class HostSource : std::uint8_t { attribute, launch, config };
inline constexpr std::array<std::string_view, 3> kHostSourceNames{"attribute", "launch", "config"};
constexpr std::string_view name(HostSource s) {
  return kHostSourceNames[static_cast<std::size_t>(s)];
}

struct HostValueSeen {
  Bytes bytes = 0;
  HostSource source = HostSource::attribute;
  auto operator<=>(const HostValueSeen&) const = default;
};

/// One kernel by the name that the host code registers.
struct HostKernel {
  std::string_view symbol;          // points into the file
  std::vector<HostValueSeen> seen;  // sorted, each once
  int unknown_attributes = 0,
      unknown_launches = 0;  // calls for it whose size could not be followed
};

struct HostCode {
  std::vector<HostKernel> kernels;  // by symbol
  int calls = 0;                    // calls of the functions in question
  int calls_unplaced = 0;           // of those, calls whose kernel could not be followed
  int attributes_unplaced = 0;      // and of those, calls that raise what launches may ask for
  std::vector<std::string_view> registered;  // kernels by symbol, sorted; they point into the file
  Bytes followed = 0;                        // bytes of code that were decoded
  std::string why;                           // why nothing was read; empty otherwise

  const HostKernel* find(std::string_view symbol) const;
};

struct HostCodeOptions {
  std::function<void(ByteView)>
      release;  // told of code that was scanned and is not needed again soon
};

/// Reads an x86-64 or aarch64 program or library. Memory grows with the number of kernels.
HostCode read_host_code(const Elf& elf, const HostCodeOptions& options = {});

/// What host code says of one kernel, as a scan reports it. Attributes count before launches: a
/// launch may ask for less than what its kernel may ask for.
DynamicSmem dynamic_smem(const HostKernel& kernel);

}  // namespace tilefit
