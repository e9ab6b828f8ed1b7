// SPDX-License-Identifier: Apache-2.0
// HostGraph: a function of host code as blocks and the ways between them: its instructions, landing
// pads of exceptions, jump tables, and parts that the compiler moved elsewhere.
#pragma once

#include <span>
#include <vector>

#include "tilefit/read/function_table.h"
#include "tilefit/read/host_decoder.h"
#include "tilefit/read/host_image.h"

namespace tilefit {

struct HostBlock {
  std::size_t begin = 0, end = 0;             // ops
  std::vector<std::uint32_t> next, previous;  // blocks
  bool open = false;                          // control may enter from where we do not see
};

class HostGraph {
 public:
  HostGraph(const HostImage& image, const FunctionTable& functions);

  /// Takes `function` apart; false if that cannot be done, and then nothing is known of it.
  bool build(const HostFunction& function);

  /// The function and the parts that belong to it.
  const std::vector<HostFunction>& region() const { return region_; }
  const std::vector<HostOp>& ops() const { return ops_; }
  const std::vector<HostBlock>& blocks() const { return blocks_; }
  /// The block that the function is entered at.
  std::uint32_t entry() const { return entry_; }
  /// A call, or a jump out of the function.
  bool is_call(const HostOp& op) const;
  /// Bytes decoded so far.
  Bytes decoded() const { return decoded_; }

 private:
  bool gather(const HostFunction& function);
  bool take(const HostFunction& function);
  bool take_neighbours();
  bool comes_back(const HostFunction& function) const;
  bool mark_entries();
  bool mark_tables();
  bool mark_table(Address table, Address base, int width, int scale);
  bool mark_blocks();
  bool build_blocks();
  bool join_tables();
  bool in_region(Address address) const;
  std::size_t op_at(Address address) const;  // npos where no instruction starts

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  const HostImage& image_;
  const FunctionTable& functions_;
  HostDecoder decoder_;
  Bytes decoded_ = 0;

  std::vector<HostFunction> region_;
  std::vector<HostOp> ops_;
  std::vector<std::uint32_t> starts_;  // ops that start instructions, by address
  std::vector<std::uint8_t> leads_;    // per op: whether a block begins, and how it may be entered
  std::vector<HostBlock> blocks_;
  std::vector<std::uint32_t> block_of_;  // per op that leads
  std::uint32_t entry_ = 0;
};

}  // namespace tilefit
