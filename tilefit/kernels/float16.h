// SPDX-License-Identifier: Apache-2.0
// bf16 and fp16 to float and back on the host, round to nearest even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "tilefit/model/dtype.h"

namespace tilefit::float16 {

inline float from_bf16(std::uint16_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16U);
}

inline std::uint16_t to_bf16(float x) {
  const auto u = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>(u >> 16U | 0x40U);
  return static_cast<std::uint16_t>((u + 0x7FFFU + (u >> 16U & 1U)) >> 16U);
}

inline float from_fp16(std::uint16_t x) {
  const std::uint32_t sign = static_cast<std::uint32_t>(x & 0x8000U) << 16U;
  const std::uint32_t exponent = x >> 10U & 31U, mantissa = x & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | mantissa << 13U);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112U) << 23U | mantissa << 13U);
  const float subnormal = std::ldexp(static_cast<float>(mantissa), -24);
  return sign != 0 ? -subnormal : subnormal;
}

inline std::uint16_t to_fp16(float x) {
  const auto u = std::bit_cast<std::uint32_t>(x);
  const auto sign = static_cast<std::uint16_t>(u >> 16U & 0x8000U);
  const float magnitude = std::fabs(x);
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 6.103515625e-05F)  // subnormal: a multiple of 2^-24
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  const std::uint32_t m = (u & 0x7FFFFFFFU) - (112U << 23U);
  return static_cast<std::uint16_t>(sign | (m + 0xFFFU + (m >> 13U & 1U)) >> 13U);
}

/// Element i of a tensor of bf16, fp16 or f32.
inline float load(Dtype type, const void* p, std::int64_t i) {
  if (type == Dtype::f32) return static_cast<const float*>(p)[i];
  const std::uint16_t x = static_cast<const std::uint16_t*>(p)[i];
  return type == Dtype::fp16 ? from_fp16(x) : from_bf16(x);
}

inline void store(Dtype type, void* p, std::int64_t i, float x) {
  if (type == Dtype::f32)
    static_cast<float*>(p)[i] = x;
  else
    static_cast<std::uint16_t*>(p)[i] = type == Dtype::fp16 ? to_fp16(x) : to_bf16(x);
}

}  // namespace tilefit::float16
