// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "stoker/image/kernels/target.h"

namespace stoker::image {

// One pass of a resize over RGBX pixels. Sources must be readable for 64 bytes beyond their last
// pixel; targets are written exactly.
struct PassJob {
  const uint8_t* in = nullptr;
  size_t in_stride_bytes = 0;
  uint8_t* out = nullptr;
  size_t out_stride_bytes = 0;
  int32_t width = 0;                 // of the output
  int32_t height = 0;                // of the output
  int32_t groups = 0;                // of four taps, for each output pixel
  const int32_t* firsts = nullptr;   // first source pixel of each output column (or row)
  const int32_t* weights = nullptr;  // split (axis.h) for SIMD, plain for the scalar kernels
  // Vertical pass only: the rows that may be read, and room for a pointer to each tap's row.
  int32_t source_rows = 0;
  const uint8_t** row_pointers = nullptr;
};

struct ResizeKernels {
  bool split_weights = true;
  void (*horizontal)(const PassJob& job) = nullptr;
  void (*vertical)(const PassJob& job) = nullptr;
};

const ResizeKernels& resize_kernels(SimdTarget target);

}  // namespace stoker::image
