// SPDX-License-Identifier: Apache-2.0
// HostDecoder: host instructions of x86-64 and aarch64 as HostOps, by capstone.
#pragma once

#include <capstone/capstone.h>

#include <cstdint>
#include <vector>

#include "tilefit/read/bytes.h"
#include "tilefit/read/host_ops.h"

namespace tilefit {

class HostDecoder {
 public:
  explicit HostDecoder(std::uint16_t machine);
  ~HostDecoder();
  HostDecoder(const HostDecoder&) = delete;
  HostDecoder& operator=(const HostDecoder&) = delete;

  /// False for machines other than the two.
  bool ready() const { return insn_ != nullptr; }
  /// Appends the ops of `code`, which lies at `address`. False where bytes are no instructions.
  bool decode(ByteView code, std::uint64_t address, std::vector<HostOp>& out);

 private:
  std::uint16_t machine_;
  csh handle_ = 0;
  cs_insn* insn_ = nullptr;
};

}  // namespace tilefit
