// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stoker/image/ops/lookup.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

// Stretches what occurs to 0 .. 255.
ByteTable stretched(int lowest, int highest) {
  const double scale = lowest < highest ? 255.0 / (highest - lowest) : 1.0;
  const double offset = lowest < highest ? -lowest * scale : 0.0;
  ByteTable table{};
  for (size_t i = 0; i < table.size(); ++i) {
    const auto value = static_cast<int>(static_cast<double>(i) * scale + offset);
    table[i] = static_cast<uint8_t>(std::clamp(value, 0, 255));
  }
  return table;
}

void apply(const ImageView& rgbx, std::span<const double> /*arguments*/,
           PixelScratch& /*scratch*/) {
  uint8_t low[4] = {255, 255, 255, 255};
  uint8_t high[4] = {0, 0, 0, 0};
  for (int32_t y = 0; y < rgbx.height; ++y) {
    const uint8_t* pixel = rgbx.row(y);
    for (int32_t x = 0; x < rgbx.width; ++x, pixel += 4) {
      for (size_t i = 0; i < 4; ++i) {
        low[i] = std::min(low[i], pixel[i]);
        high[i] = std::max(high[i], pixel[i]);
      }
    }
  }
  look_up(rgbx,
          {stretched(low[0], high[0]), stretched(low[1], high[1]), stretched(low[2], high[2])});
}

}  // namespace

const PixelOp kAutocontrast = {"autocontrast", {}, apply};

}  // namespace stoker::image
