// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/blend.h"
#include "stoker/image/ops/copy.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"sharpness_factor"};

// Pillow's filter SMOOTH: the eight neighbours once, the pixel five times, divided by 13. Its
// weights are float32, added up row by row from below, and so its sums are no whole numbers.
constexpr float kEdge = 1.0F / 13.0F;
constexpr float kMiddle = 5.0F / 13.0F;

void sharpen_row(const uint8_t* above, const uint8_t* here, const uint8_t* below, int32_t count,
                 float factor, uint8_t* out) {
  const auto three = [](const uint8_t* at, float middle) {
    return static_cast<float>(at[-4]) * kEdge + static_cast<float>(at[0]) * middle +
           static_cast<float>(at[4]) * kEdge;
  };
  for (int32_t i = 0; i < count; ++i) {
    float smooth = 0.5F;
    smooth += three(below + i, kEdge);
    smooth += three(here + i, kMiddle);
    smooth += three(above + i, kEdge);
    out[i] = blend(static_cast<int>(smooth), here[i], factor);
  }
}

// Pixels at the border have no smooth colour: they stay.
void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& scratch) {
  if (rgbx.width < 3 || rgbx.height < 3) {
    return;
  }
  const ImageView source = copy_of(rgbx, scratch);
  for (int32_t y = 1; y + 1 < rgbx.height; ++y) {
    sharpen_row(source.row(y - 1) + 4, source.row(y) + 4, source.row(y + 1) + 4,
                (rgbx.width - 2) * 4, static_cast<float>(arguments[0]), rgbx.row(y) + 4);
  }
}

}  // namespace

const PixelOp kAdjustSharpness = {"adjust_sharpness", kArguments, apply};

}  // namespace stoker::image
