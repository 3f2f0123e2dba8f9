// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/blend.h"

namespace stoker::image {
namespace {

void blend_row(uint8_t* row, int32_t count, int from, float factor) {
  for (int32_t i = 0; i < count; ++i) {
    row[i] = blend(from, row[i], factor);
  }
}

}  // namespace

void blend_all(const ImageView& rgbx, int from, float factor) {
  for (int32_t y = 0; y < rgbx.height; ++y) {
    blend_row(rgbx.row(y), rgbx.width * 4, from, factor);
  }
}

}  // namespace stoker::image
