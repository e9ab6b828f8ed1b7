// SPDX-License-Identifier: Apache-2.0
#include "tilefit/read/host_decoder.h"

#include "tilefit/read/elf.h"
#include "tilefit/read/host_quick_x86.h"

namespace tilefit {

HostDecoder::HostDecoder(std::uint16_t machine) : machine_(machine) {
  const bool x86 = machine == kMachineX86;
  if (!x86 && machine != kMachineArm) return;
  const cs_err opened = x86 ? cs_open(CS_ARCH_X86, CS_MODE_64, &handle_)
                            : cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle_);
  if (opened != CS_ERR_OK) return;
  cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
  insn_ = cs_malloc(handle_);
}

HostDecoder::~HostDecoder() {
  if (insn_ != nullptr) cs_free(insn_, 1);
  if (handle_ != 0) cs_close(&handle_);
}

bool HostDecoder::decode(ByteView code, std::uint64_t address, std::vector<HostOp>& out) {
  if (!ready()) return false;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(code.data());
  std::size_t left = static_cast<std::size_t>(code.size());
  while (left > 0) {
    if (machine_ == kMachineX86) {
      const ByteView rest = code.from(code.size() - static_cast<Bytes>(left));
      if (const int length = quick_x86(rest, address, out); length > 0) {
        bytes += length;
        left -= static_cast<std::size_t>(length);
        address += static_cast<std::uint64_t>(length);
        continue;
      }
    }
    if (!cs_disasm_iter(handle_, &bytes, &left, &address, insn_)) return false;
    if (machine_ == kMachineX86)
      translate_x86(*insn_, out);
    else
      translate_arm(*insn_, out);
  }
  return true;
}

}  // namespace tilefit
