// SPDX-License-Identifier: Apache-2.0
// KernelTable: gathers what the entries of one file say into one KernelFacts for each kernel.
#pragma once

#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tilefit/model/facts.h"
#include "tilefit/read/read_entry.h"

namespace tilefit {

class KernelTable {
 public:
  explicit KernelTable(int file) : file_(file) {}

  /// Device functions are left out, and so are copies that agree with what is there already.
  void add(EntryFacts entry, int index);

  /// The kernels in the order in which they first appeared. The table is empty afterwards.
  std::vector<KernelFacts> take();

 private:
  int file_;
  std::deque<KernelFacts> kernels_;
  std::unordered_map<std::string_view, KernelFacts*> by_symbol_;  // views of their symbols
};

}  // namespace tilefit
