// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "stoker/image/kernels/target.h"

namespace stoker::image {

// All counts are of pixels in a row or of values; nothing is read or written beyond them.
struct PixelKernels {
  // Mirrors one row of RGBX pixels in place.
  void (*reverse)(uint8_t* rgbx, size_t pixels) = nullptr;
  void (*rgbx_to_rgb)(const uint8_t* rgbx, size_t pixels, uint8_t* rgb) = nullptr;
  // u8 / 255 as float32; `planes` are the red, green and blue plane.
  void (*rgb_to_planes)(const uint8_t* rgb, size_t pixels, float* const* planes) = nullptr;
  void (*grey_to_plane)(const uint8_t* grey, size_t pixels, float* plane) = nullptr;
  // Copies bytes past the caches, for memory that is not read soon; `to` needs no alignment.
  void (*stream)(const uint8_t* from, size_t bytes, uint8_t* to) = nullptr;
  // (in - mean) / std.
  void (*normalize)(const float* in, size_t values, float mean, float std, float* out) = nullptr;
};

const PixelKernels& pixel_kernels(SimdTarget target);

}  // namespace stoker::image
