// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stoker::image {

// Pillow's blend of two bytes: `from` at factor 0, `to` at factor 1, beyond them for other factors.
// What lies outside 0 .. 255 is clipped, and fractions are cut off.
inline uint8_t blend(int from, int to, float factor) {
  float value = static_cast<float>(from) + factor * static_cast<float>(to - from);
  value = value > 0 ? value : 0;
  value = value < 255 ? value : 255;
  return static_cast<uint8_t>(static_cast<int>(value));
}

}  // namespace stoker::image
