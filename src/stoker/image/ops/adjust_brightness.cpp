// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/blend.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"brightness_factor"};

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const auto factor = static_cast<float>(arguments[0]);
  for (int32_t y = 0; y < rgbx.height; ++y) {
    uint8_t* row = rgbx.row(y);
    for (int32_t i = 0; i < rgbx.width * 4; ++i) {
      row[i] = blend(0, row[i], factor);
    }
  }
}

}  // namespace

const PixelOp kAdjustBrightness = {"adjust_brightness", kArguments, apply};

}  // namespace stoker::image
