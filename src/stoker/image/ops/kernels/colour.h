// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "stoker/image/kernels/target.h"

namespace stoker::image {

// Inner loops on one row of RGBX pixels, in place. X is not kept.
struct ColourKernels {
  // Pillow's blend of every byte: `from` at factor 0, the byte itself at factor 1.
  void (*blend)(uint8_t* rgbx, size_t pixels, uint8_t from, float factor) = nullptr;
  // The same with each pixel's own grey, which is its value in Pillow's mode L.
  void (*blend_with_grey)(uint8_t* rgbx, size_t pixels, float factor) = nullptr;
  // Sum of the greys.
  uint64_t (*sum_of_grey)(const uint8_t* rgbx, size_t pixels) = nullptr;
  // To Pillow's mode HSV and back, with `shift` added to the hue, round the circle.
  void (*shift_hue)(uint8_t* rgbx, size_t pixels, uint8_t shift) = nullptr;
};

const ColourKernels& colour_kernels(SimdTarget target);

}  // namespace stoker::image
