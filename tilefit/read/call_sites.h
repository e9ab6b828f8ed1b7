// SPDX-License-Identifier: Apache-2.0
// Where a host program calls the CUDA functions of host_api.h: found by scanning code for direct
// calls to their addresses, linkage table entries or slots, so that only functions with such calls
// have to be followed.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "tilefit/read/host_api.h"
#include "tilefit/read/host_image.h"

namespace tilefit {

/// The addresses by which code refers to CUDA functions.
struct HostApiAddresses {
  std::unordered_map<Address, const HostApi*> targets;  // of direct calls
  std::unordered_map<Address, const HostApi*> slots;    // of calls through memory

  const HostApi* target(Address address) const;
  const HostApi* slot(Address address) const;
};

HostApiAddresses find_host_apis(const HostImage& image);

/// Adds a function of the file's own to the ways by which it can be called.
void add_host_api(const HostImage& image, Address function, const HostApi& api,
                  HostApiAddresses& out);

struct CallSite {
  Address address = 0;
  const HostApi* api = nullptr;
};

/// In order of address. `release` is told of each window of code when it was scanned.
std::vector<CallSite> find_call_sites(const HostImage& image, const HostApiAddresses& apis,
                                      const std::function<void(ByteView)>& release);

}  // namespace tilefit
