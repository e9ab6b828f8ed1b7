// SPDX-License-Identifier: Apache-2.0
#include "tilefit/report/safe_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace tilefit {
namespace {

struct Rune {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

Rune rune_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

bool steers(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool direction = (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
                         (code >= 0x2066 && code <= 0x2069);
  return control || direction || code == 0x2028 || code == 0x2029;
}

}  // namespace

std::string safe_text(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const Rune rune = rune_at(text);
    const std::size_t taken = rune.bytes == 0 ? 1 : rune.bytes;
    if (rune.bytes != 0 && !steers(rune.code)) {
      safe += text.substr(0, taken);
    } else {
      for (char c : text.substr(0, taken))
        fmt::format_to(std::back_inserter(safe), "\\x{:02x}", static_cast<std::uint8_t>(c));
    }
    text.remove_prefix(taken);
  }
  return safe;
}

}  // namespace tilefit
