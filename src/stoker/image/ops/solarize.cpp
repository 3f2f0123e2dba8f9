// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"threshold"};

void turn_row(uint8_t* row, int32_t count, uint8_t first) {
  for (int32_t i = 0; i < count; ++i) {
    row[i] = static_cast<uint8_t>(row[i] ^ (row[i] >= first ? 255 : 0));
  }
}

// Bytes from the threshold on are turned round: 255 becomes 0.
void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const double first = std::ceil(std::clamp(arguments[0], 0.0, 256.0));
  if (first > 255) {
    return;
  }
  for (int32_t y = 0; y < rgbx.height; ++y) {
    turn_row(rgbx.row(y), rgbx.width * 4, static_cast<uint8_t>(first));
  }
}

}  // namespace

const PixelOp kSolarize = {"solarize", kArguments, apply};

}  // namespace stoker::image
