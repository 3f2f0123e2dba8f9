// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"threshold"};

// Bytes from the threshold on are turned round: 255 becomes 0.
void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const double first = std::ceil(std::clamp(arguments[0], 0.0, 256.0));
  if (first > 255) {
    return;
  }
  const auto turned = static_cast<uint8_t>(first);
  for (int32_t y = 0; y < rgbx.height; ++y) {
    uint8_t* row = rgbx.row(y);
    for (int32_t i = 0; i < rgbx.width * 4; ++i) {
      row[i] = static_cast<uint8_t>(row[i] ^ (row[i] >= turned ? 255 : 0));
    }
  }
}

}  // namespace

const PixelOp kSolarize = {"solarize", kArguments, apply};

}  // namespace stoker::image
