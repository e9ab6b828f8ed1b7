// SPDX-License-Identifier: Apache-2.0
// Attributes of .nv.info sections: records {u8 format, u8 code, u16 value or length, payload}.
#pragma once

#include "tilefit/read/bytes.h"

namespace tilefit {

enum class InfoCode : std::uint8_t {
  max_threads = 0x05,
  externs = 0x0f,
  required_threads = 0x10,
  frame_size = 0x11,
  min_stack_size = 0x12,
  max_stack_size = 0x23,
  register_count = 0x2f,
  cta_per_cluster = 0x3d,
  num_barriers = 0x4c,
};

struct InfoRecord {
  InfoCode code{};
  std::uint16_t value = 0;  // of formats 2 and 3, and the low bits of format 1
  ByteView payload;         // of format 4
};

/// Calls `each(record)` until the data ends or makes no sense.
template <class Each>
void for_each_info(ByteView section, Each each) {
  constexpr std::uint8_t kWithPayload = 4;
  for (Bytes at = 0; section.holds(at, 4);) {
    const auto format = section.number_or_0<std::uint8_t>(at);
    const auto value = section.number_or_0<std::uint16_t>(at + 2);
    InfoRecord record{.code = static_cast<InfoCode>(section.number_or_0<std::uint8_t>(at + 1)),
                      .value = value,
                      .payload = {}};
    at += 4;
    if (format == 0 || format > kWithPayload) return;
    if (format == kWithPayload) {
      record.payload = section.clamp(at, value);
      at += value;
    }
    each(record);
  }
}

}  // namespace tilefit
