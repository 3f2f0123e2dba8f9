// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/blend.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"brightness_factor"};

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  blend_all(rgbx, 0, static_cast<float>(arguments[0]));
}

}  // namespace

const PixelOp kAdjustBrightness = {"adjust_brightness", kArguments, apply};

}  // namespace stoker::image
