// SPDX-License-Identifier: Apache-2.0
// NVFP4 numbers: e2m1 codes and ue4m3 block scales to float, exactly. Host and device.
//
// A scale byte's bit 7 carries no meaning (the format has no sign) and is ignored, so 0x80 is zero.
// 0x7f is NaN and makes every product of its block NaN.
#pragma once

#include <cstdint>

namespace tilefit::nvfp4 {

/// 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives (bit 3).
constexpr float e2m1(std::uint32_t code) {
  const auto mantissa = static_cast<float>(code & 1U);
  const std::uint32_t exponent = code >> 1U & 3U;
  const float magnitude = exponent == 0
                              ? 0.5F * mantissa
                              : (2.0F + mantissa) * 0.25F * static_cast<float>(1U << exponent);
  return (code & 8U) != 0 ? -magnitude : magnitude;
}

constexpr bool scale_is_nan(std::uint32_t scale) { return (scale & 0x7FU) == 0x7FU; }
constexpr bool scale_is_zero(std::uint32_t scale) { return (scale & 0x7FU) == 0; }

/// A finite non-zero scale as (8 + mantissa) x 2^(exponent - 3): no subnormals in this form.
struct Normal {
  int exponent;            // -9 .. 8
  std::uint32_t mantissa;  // 0 .. 7
};

constexpr Normal normal(std::uint32_t scale) {
  const int field = static_cast<int>(scale >> 3U & 15U);
  std::uint32_t mantissa = scale & 7U;
  if (field != 0) return {field - 7, mantissa};
  int exponent = -6;  // subnormal: mantissa x 2^-9
  while ((mantissa & 8U) == 0) {
    mantissa <<= 1U;
    --exponent;
  }
  return {exponent, mantissa & 7U};
}

constexpr float power_of_two(int exponent) {
  float x = 1.0F;
  for (; exponent > 0; --exponent) x *= 2.0F;
  for (; exponent < 0; ++exponent) x *= 0.5F;
  return x;
}

constexpr float ue4m3(std::uint32_t scale) {
  if (scale_is_nan(scale)) return __builtin_nanf("");
  if (scale_is_zero(scale)) return 0.0F;
  const Normal s = normal(scale);
  return static_cast<float>(8U + s.mantissa) * power_of_two(s.exponent - 3);
}

/// Byte offset of the scale of (row, column of 16) in the 128x4-swizzled order, `columns` = K / 16.
constexpr std::int64_t swizzled_128x4(std::int64_t r, std::int64_t c, std::int64_t columns) {
  const std::int64_t atoms = (columns + 3) / 4;
  return (r / 128 * atoms + c / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 + c % 4;
}

}  // namespace tilefit::nvfp4
