// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "stoker/image/ops/kernels/colour.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"contrast_factor"};

// Every byte is blended with the mean grey, rounded.
void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const ColourKernels& kernels = colour_kernels(current_target());
  const auto width = static_cast<size_t>(rgbx.width);
  const auto factor = static_cast<float>(arguments[0]);
  uint64_t sum = 0;
  for (int32_t y = 0; y < rgbx.height; ++y) {
    sum += kernels.sum_of_grey(rgbx.row(y), width);
  }
  const double count = static_cast<double>(rgbx.width) * rgbx.height;
  const auto mean = static_cast<uint8_t>(std::floor(static_cast<double>(sum) / count + 0.5));
  for (int32_t y = 0; y < rgbx.height; ++y) {
    kernels.blend(rgbx.row(y), width, mean, factor);
  }
}

}  // namespace

const PixelOp kAdjustContrast = {"adjust_contrast", kArguments, apply};

}  // namespace stoker::image
