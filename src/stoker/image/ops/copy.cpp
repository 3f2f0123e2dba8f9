// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/copy.h"

#include <cstring>

namespace stoker::image {

ImageView copy_of(const ImageView& rgbx, PixelScratch& scratch, size_t extra_bytes) {
  const size_t row_bytes = static_cast<size_t>(rgbx.width) * 4;
  ImageView copy = rgbx;
  copy.stride_bytes = row_bytes;
  copy.data = scratch.pixels.resize(row_bytes * static_cast<size_t>(rgbx.height) + extra_bytes);
  for (int32_t y = 0; y < rgbx.height; ++y) {
    std::memcpy(copy.row(y), rgbx.row(y), row_bytes);
  }
  return copy;
}

}  // namespace stoker::image
