// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace stoker::pipeline {

// float32 to bfloat16, half to even; a NaN stays one.
constexpr uint16_t to_bfloat16(float value) noexcept {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) {
    return 0x7FC0;
  }
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// float32 to IEEE float16, half to even, with subnormals; a NaN stays one.
constexpr uint16_t to_float16(float value) noexcept {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) {
    return 0x7E00;
  }
  if (magnitude >= 0x477FF000) {  // rounds to 65536 or more
    return sign | 0x7C00;
  }
  if (magnitude < 0x38800000) {  // below the least normal number: let addition round
    const float rounded = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(rounded) - 0x3F000000));
  }
  const uint32_t rebiased = magnitude - 0x38000000 + 0xFFF + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | (rebiased >> 13));
}

}  // namespace stoker::pipeline
