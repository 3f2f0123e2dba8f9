// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"bits"};

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  const auto mask = static_cast<uint8_t>(0xFF00U >> static_cast<unsigned>(arguments[0]));
  for (int32_t y = 0; y < rgbx.height; ++y) {
    uint8_t* row = rgbx.row(y);
    for (int32_t i = 0; i < rgbx.width * 4; ++i) {
      row[i] &= mask;
    }
  }
}

}  // namespace

const PixelOp kPosterize = {"posterize", kArguments, apply};

}  // namespace stoker::image
