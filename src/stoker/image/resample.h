// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "stoker/core/buffer.h"
#include "stoker/core/image_view.h"
#include "stoker/core/status.h"

namespace stoker::image {

// The values are Pillow's Image.Resampling.
enum class Filter : uint8_t {
  Nearest = 0,
  Lanczos = 1,
  Bilinear = 2,
  Bicubic = 3,
  Box = 4,
  Hamming = 5
};

// Rounding between the passes makes their order visible in the bytes; it changed in Pillow 13.
enum class PassOrder : uint8_t {
  HorizontalFirst,  // Pillow before 13
  ByCost,           // Pillow 13: vertical first if h > out_h and h - out_h > 2 (w - out_w)
};

// Scratch of one thread, reused between images.
struct ResampleScratch {
  Buffer rows;
  std::vector<double> exact_weights;  // of one output pixel
  std::vector<const uint8_t*> row_pointers;
  std::vector<int32_t> horizontal_weights, vertical_weights;
  std::vector<int32_t> horizontal_bounds, vertical_bounds;
};

// Resizes RGBX `in` to `out_width` x `out_height` and writes the part `window` (in output pixels)
// into RGBX `out`, byte for byte what Pillow's Image.resize gives there. `in` must be readable
// for 64 bytes beyond its last pixel. Only what the window needs is computed.
Status resize(const ImageView& in, int32_t out_width, int32_t out_height, Filter filter,
              PassOrder order, const Region& window, const ImageView& out,
              ResampleScratch& scratch);

// The pixels of an `in_width` x `in_height` image that `window` of its resize depends on.
// Requires: a valid window (not empty, inside the output).
Region resize_source(int32_t in_width, int32_t in_height, int32_t out_width, int32_t out_height,
                     Filter filter, const Region& window);

// resize() where only the pixels of `part_of` of an `in_width` x `in_height` image are at hand;
// they must include resize_source(). Weights are still those of the whole image.
Status resize_part(const ImageView& part, const Region& part_of, int32_t in_width,
                   int32_t in_height, int32_t out_width, int32_t out_height, Filter filter,
                   PassOrder order, const Region& window, const ImageView& out,
                   ResampleScratch& scratch);

// The same as resize() by plain loops: what tests hold the fast one against.
Status resize_reference(const ImageView& in, int32_t out_width, int32_t out_height, Filter filter,
                        PassOrder order, const Region& window, const ImageView& out,
                        ResampleScratch& scratch);

}  // namespace stoker::image
