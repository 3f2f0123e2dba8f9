// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/lookup.h"

#include <cstddef>

namespace stoker::image {
namespace {

void look_up_each(const ImageView& rgbx, const ByteTable& red, const ByteTable& green,
                  const ByteTable& blue) {
  for (int32_t y = 0; y < rgbx.height; ++y) {
    uint8_t* pixel = rgbx.row(y);
    for (int32_t x = 0; x < rgbx.width; ++x, pixel += 4) {
      pixel[0] = red[pixel[0]];
      pixel[1] = green[pixel[1]];
      pixel[2] = blue[pixel[2]];
    }
  }
}

}  // namespace

void look_up(const ImageView& rgbx, const ByteTable& table) {
  look_up_each(rgbx, table, table, table);
}

void look_up(const ImageView& rgbx, const std::array<ByteTable, 3>& tables) {
  look_up_each(rgbx, tables[0], tables[1], tables[2]);
}

std::array<Histogram, 3> histograms(const ImageView& rgbx) {
  std::array<Histogram, 3> counts{};
  for (int32_t y = 0; y < rgbx.height; ++y) {
    const uint8_t* pixel = rgbx.row(y);
    for (int32_t x = 0; x < rgbx.width; ++x, pixel += 4) {
      ++counts[0][pixel[0]];
      ++counts[1][pixel[1]];
      ++counts[2][pixel[2]];
    }
  }
  return counts;
}

}  // namespace stoker::image
