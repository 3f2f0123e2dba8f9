// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"bits"};

void mask_row(uint8_t* row, int32_t count, uint8_t mask) {
  for (int32_t i = 0; i < count; ++i) {
    row[i] &= mask;
  }
}

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const auto mask = static_cast<uint8_t>(0xFF00U >> static_cast<unsigned>(arguments[0]));
  for (int32_t y = 0; y < rgbx.height; ++y) {
    mask_row(rgbx.row(y), rgbx.width * 4, mask);
  }
}

}  // namespace

const PixelOp kPosterize = {"posterize", kArguments, apply};

}  // namespace stoker::image
