// SPDX-License-Identifier: Apache-2.0
// FunctionTable: where functions of a host program begin and end, and at which places exceptions
// enter them, from the tables that stack unwinding needs (.eh_frame_hdr, .eh_frame,
// .gcc_except_table). Those stay in stripped files.
#pragma once

#include <optional>
#include <vector>

#include "tilefit/read/host_image.h"

namespace tilefit {

struct HostFunction {
  Address begin = 0, end = 0;
  Address exceptions = 0;  // its table of landing pads; 0 = it has none
  bool entry = true;       // begins with an empty frame: no part that was split off
};

class FunctionTable {
 public:
  explicit FunctionTable(const HostImage& image);

  /// The function whose code holds `address`. A part that was split off is a function of its own.
  std::optional<HostFunction> find(Address address) const;
  /// Where control enters `function` with an exception; nothing if its table cannot be read.
  std::optional<std::vector<Address>> landing_pads(const HostFunction& function) const;

 private:
  std::optional<HostFunction> describe(Address entry) const;

  const HostImage* image_;
  Address header_ = 0;  // of the sorted table
  Bytes entries_ = 0;
};

}  // namespace tilefit
