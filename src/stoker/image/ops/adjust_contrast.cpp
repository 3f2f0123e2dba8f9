// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/blend.h"
#include "stoker/image/ops/luma.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"contrast_factor"};

// Of mode L, rounded.
int mean_luma(const ImageView& rgbx) {
  uint64_t sum = 0;
  for (int32_t y = 0; y < rgbx.height; ++y) {
    const uint8_t* row = rgbx.row(y);
    uint32_t row_sum = 0;
    for (int32_t x = 0; x < rgbx.width; ++x) {
      row_sum += static_cast<uint32_t>(luma(row + static_cast<ptrdiff_t>(x) * 4));
    }
    sum += row_sum;
  }
  const double count = static_cast<double>(rgbx.width) * rgbx.height;
  return static_cast<int>(static_cast<double>(sum) / count + 0.5);
}

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const auto factor = static_cast<float>(arguments[0]);
  const int grey = mean_luma(rgbx);
  for (int32_t y = 0; y < rgbx.height; ++y) {
    uint8_t* row = rgbx.row(y);
    for (int32_t i = 0; i < rgbx.width * 4; ++i) {
      row[i] = blend(grey, row[i], factor);
    }
  }
}

}  // namespace

const PixelOp kAdjustContrast = {"adjust_contrast", kArguments, apply};

}  // namespace stoker::image
