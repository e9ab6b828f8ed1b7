// SPDX-License-Identifier: Apache-2.0
// HostReader: collects, call by call, what host code says of kernels. Functions that pass a kernel
// on to the CUDA runtime (helpers that were not inlined) are treated like the runtime's own from
// then on.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tilefit/read/call_sites.h"
#include "tilefit/read/host_code.h"
#include "tilefit/read/host_flow.h"

namespace tilefit {

class HostReader {
 public:
  HostReader(const HostImage& image, const FunctionTable& functions, HostApiAddresses apis);

  /// Which host function stands for which kernel.
  void read_registrations(const std::vector<CallSite>& sites, const HostCodeOptions& options);
  /// Sizes; then those that go through helpers, found by scanning again.
  void read_sizes(const std::vector<CallSite>& sites, const HostCodeOptions& options);
  HostCode result();

 private:
  struct Tally {
    std::vector<HostValueSeen> seen;
    int unknown_attributes = 0, unknown_launches = 0;
  };
  /// A call with what its arguments are.
  struct Request {
    HostSource source = HostSource::attribute;
    HostValue attribute, kernel, size;
    bool config = false;  // `size` is still the place of a config that was passed on
    bool other_attribute() const {
      return attribute.is_constant() &&
             static_cast<std::int32_t>(attribute.number) != kAttributeDynamicSmem;
    }
  };

  const HostApi* api_of(const HostOp& call) const;
  HostValue argument(int index, const HostOp& call, const HostState& state) const;
  void follow(const std::vector<CallSite>& sites, const HostCodeOptions& options);
  bool only_launch_stub(const std::vector<CallSite>& sites, std::size_t first, Address end) const;
  int matters(const HostOp& call) const;
  void effect(const HostOp& call, HostState& state) const;
  bool enough(const HostOp& call, const HostState& state) const;
  void note(const HostOp& call, const HostState& state);
  void register_function(const HostOp& call, const HostState& state);
  Request request(const HostApi& api, const HostOp& call, const HostState& state) const;
  bool note_helper(const Request& request);
  void note_kernel(const Request& request);
  std::optional<std::string_view> kernel_name(const HostValue& kernel) const;
  bool has_attribute(const HostValue& kernel) const;

  const HostImage& image_;
  const FunctionTable& functions_;
  HostApiAddresses apis_;
  HostFlow flow_;
  const CallingConvention& convention_;
  bool registering_ = false;
  std::unordered_map<Address, std::string_view> registered_;  // empty name: two kernels claim it
  std::map<std::string_view, Tally> tallies_;
  std::deque<HostApi> helper_apis_;
  std::unordered_map<Address, const HostApi*> helpers_, new_helpers_;
  std::unordered_set<Address> noted_,
      noting_;  // calls that were counted, before and in this function
  int calls_ = 0, unplaced_ = 0, attributes_unplaced_ = 0;
};

}  // namespace tilefit
