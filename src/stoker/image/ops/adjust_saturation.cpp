// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/blend.h"
#include "stoker/image/ops/luma.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"saturation_factor"};

void saturate_row(uint8_t* row, int32_t width, float factor) {
  for (int32_t x = 0; x < width; ++x) {
    uint8_t* pixel = row + static_cast<ptrdiff_t>(x) * 4;
    const int grey = luma(pixel);
    pixel[0] = blend(grey, pixel[0], factor);
    pixel[1] = blend(grey, pixel[1], factor);
    pixel[2] = blend(grey, pixel[2], factor);
    pixel[3] = 0;
  }
}

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  for (int32_t y = 0; y < rgbx.height; ++y) {
    saturate_row(rgbx.row(y), rgbx.width, static_cast<float>(arguments[0]));
  }
}

}  // namespace

const PixelOp kAdjustSaturation = {"adjust_saturation", kArguments, apply};

}  // namespace stoker::image
