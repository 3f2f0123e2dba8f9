// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker {

// Pixels that somebody else owns: `height` rows of `width` pixels of `channels` bytes each, rows
// `stride_bytes` apart. RGBX has four channels, the last of which means nothing.
struct ImageView {
  uint8_t* data = nullptr;
  int32_t width = 0;
  int32_t height = 0;
  int32_t channels = 0;
  size_t stride_bytes = 0;

  uint8_t* row(int32_t y) const { return data + static_cast<size_t>(y) * stride_bytes; }
};

// Half-open rectangle in pixels: x0 <= x < x1, y0 <= y < y1.
struct Region {
  int32_t x0 = 0;
  int32_t y0 = 0;
  int32_t x1 = 0;
  int32_t y1 = 0;

  int32_t width() const { return x1 - x0; }
  int32_t height() const { return y1 - y0; }
  bool operator==(const Region&) const = default;
};

}  // namespace stoker
