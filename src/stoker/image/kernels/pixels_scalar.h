// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace stoker::image {

// What the kernels mean, as plain loops; also what they do with the rest of a row.
inline void reverse_scalar(uint8_t* rgbx, size_t pixels) {
  for (size_t i = 0, j = pixels; i + 1 < j; ++i) {
    --j;
    uint32_t a = 0;
    uint32_t b = 0;
    std::memcpy(&a, rgbx + 4 * i, 4);
    std::memcpy(&b, rgbx + 4 * j, 4);
    std::memcpy(rgbx + 4 * i, &b, 4);
    std::memcpy(rgbx + 4 * j, &a, 4);
  }
}

inline void rgbx_to_rgb_scalar(const uint8_t* rgbx, size_t pixels, uint8_t* rgb) {
  for (size_t i = 0; i < pixels; ++i) {
    std::memcpy(rgb + 3 * i, rgbx + 4 * i, 3);
  }
}

inline void rgb_to_planes_scalar(const uint8_t* rgb, size_t pixels, float* const* planes) {
  for (size_t i = 0; i < pixels; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      planes[c][i] = static_cast<float>(rgb[3 * i + c]) / 255.0F;
    }
  }
}

inline void grey_to_plane_scalar(const uint8_t* grey, size_t pixels, float* plane) {
  for (size_t i = 0; i < pixels; ++i) {
    plane[i] = static_cast<float>(grey[i]) / 255.0F;
  }
}

inline void stream_scalar(const uint8_t* from, size_t bytes, uint8_t* to) {
  std::memcpy(to, from, bytes);
}

inline void normalize_scalar(const float* in, size_t values, float mean, float std, float* out) {
  for (size_t i = 0; i < values; ++i) {
    out[i] = (in[i] - mean) / std;
  }
}

}  // namespace stoker::image
