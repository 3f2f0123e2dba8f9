// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/blend.h"
#include "stoker/image/ops/luma.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"contrast_factor"};

uint32_t sum_of_luma(const uint8_t* row, int32_t width) {
  uint32_t sum = 0;
  for (int32_t x = 0; x < width; ++x) {
    sum += static_cast<uint32_t>(luma(row + static_cast<ptrdiff_t>(x) * 4));
  }
  return sum;
}

int mean_luma(const ImageView& rgbx) {
  uint64_t sum = 0;
  for (int32_t y = 0; y < rgbx.height; ++y) {
    sum += sum_of_luma(rgbx.row(y), rgbx.width);
  }
  const double count = static_cast<double>(rgbx.width) * rgbx.height;
  return static_cast<int>(static_cast<double>(sum) / count + 0.5);
}

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  blend_all(rgbx, mean_luma(rgbx), static_cast<float>(arguments[0]));
}

}  // namespace

const PixelOp kAdjustContrast = {"adjust_contrast", kArguments, apply};

}  // namespace stoker::image
