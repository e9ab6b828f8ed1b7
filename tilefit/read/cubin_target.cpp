// SPDX-License-Identifier: Apache-2.0
// e_flags, .note.nv.tkinfo and .nv.compat, in the order of how much they tell.
#include "tilefit/read/cubin_target.h"

#include <optional>

namespace tilefit {
namespace {

constexpr std::uint8_t kOldAbi = 0x33;
constexpr std::uint32_t kOldArchSpecific = 0x800, kNewArchSpecific = 0x08;
constexpr std::uint8_t kCompatIsaClass = 0x02, kCompatAccelerator = 0x09;

/// "sm_120f" -> 'f'; nothing where the text names no target.
std::optional<char> suffix_of_options(std::string_view text) {
  constexpr std::string_view kArch = "-arch sm_";
  std::size_t at = text.find(kArch);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kArch.size());
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') text.remove_prefix(1);
  if (text.empty()) return char{0};
  return text[0] == 'a' || text[0] == 'f' ? text[0] : char{0};
}

/// Records {u8 format, u8 attribute, ..}, 4 bytes each but for format 4.
char suffix_of_compat(ByteView compat) {
  std::optional<int> isa_class, accelerator;
  for (Bytes at = 0; compat.holds(at, 4); at += 4) {
    const int format = compat.number_or_0<std::uint8_t>(at);
    const int attribute = compat.number_or_0<std::uint8_t>(at + 1);
    const int value = compat.number_or_0<std::uint8_t>(at + 2);
    if (attribute == kCompatIsaClass) isa_class = value;
    if (attribute == kCompatAccelerator) accelerator = value;
    if (format == 4) at += compat.number_or_0<std::uint16_t>(at + 2);
  }
  if (accelerator == 1) return 'a';
  return isa_class == 2 && accelerator == 0 ? 'f' : char{0};
}

}  // namespace

CodeTarget target_of(const Elf& cubin) {
  if (cubin.os_abi == kOldAbi)
    return {static_cast<int>(cubin.flags & 0xff), cubin.flags & kOldArchSpecific ? 'a' : char{0}};
  CodeTarget target{static_cast<int>(cubin.flags >> 8 & 0xffff), 0};
  if (const ElfSection* note = cubin.find(".note.nv.tkinfo")) {
    if (auto suffix = suffix_of_options(cubin.data(*note).text())) {
      target.suffix = *suffix;
      return target;
    }
  }
  if (cubin.flags & kNewArchSpecific) target.suffix = 'a';
  const ElfSection* compat = cubin.find(".nv.compat");
  if (target.suffix == 0 && compat != nullptr)
    target.suffix = suffix_of_compat(cubin.data(*compat));
  return target;
}

std::string tool_version(const Elf& cubin) {
  const ElfSection* note = cubin.find(".note.nv.tkinfo");
  if (note == nullptr) return {};
  constexpr std::string_view kRelease = ", V";
  std::string_view text = cubin.data(*note).text();
  std::size_t at = text.find(kRelease);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + 2);
  return std::string(text.substr(0, text.find_first_not_of("V.0123456789")));
}

}  // namespace tilefit
