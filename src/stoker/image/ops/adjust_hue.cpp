// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/kernels/colour.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"hue_factor"};

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const ColourKernels& kernels = colour_kernels(current_target());
  const auto width = static_cast<size_t>(rgbx.width);
  const auto shift = static_cast<uint8_t>(static_cast<int>(arguments[0] * 255));
  for (int32_t y = 0; y < rgbx.height; ++y) {
    kernels.shift_hue(rgbx.row(y), width, shift);
  }
}

}  // namespace

const PixelOp kAdjustHue = {"adjust_hue", kArguments, apply};

}  // namespace stoker::image
