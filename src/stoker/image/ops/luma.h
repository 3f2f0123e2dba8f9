// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stoker::image {

// Pillow's mode L of an RGBX pixel. The sum stays below 2^24, so float32 has it exactly, which is
// faster than whole numbers where SIMD has no multiplication of 32 bits.
inline int luma(const uint8_t* rgbx) {
  const float sum = static_cast<float>(rgbx[0]) * 19595.0F +
                    static_cast<float>(rgbx[1]) * 38470.0F + static_cast<float>(rgbx[2]) * 7471.0F +
                    32768.0F;
  return static_cast<int>(sum) >> 16;
}

}  // namespace stoker::image
