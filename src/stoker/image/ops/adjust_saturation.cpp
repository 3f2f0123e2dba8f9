// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/kernels/colour.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"saturation_factor"};

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const ColourKernels& kernels = colour_kernels(current_target());
  const auto width = static_cast<size_t>(rgbx.width);
  const auto factor = static_cast<float>(arguments[0]);
  for (int32_t y = 0; y < rgbx.height; ++y) {
    kernels.blend_with_grey(rgbx.row(y), width, factor);
  }
}

}  // namespace

const PixelOp kAdjustSaturation = {"adjust_saturation", kArguments, apply};

}  // namespace stoker::image
