// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/kernels/resize_scalar.h"

#include <algorithm>

#include "stoker/image/axis.h"

namespace stoker::image {
namespace {

constexpr int32_t kHalf = 1 << (kWeightBits - 1);

uint8_t to_pixel(int32_t sum) {
  return static_cast<uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

}  // namespace

void horizontal_scalar(const PassJob& job) {
  const int32_t taps = job.groups * kTapsInGroup;
  for (int32_t y = 0; y < job.height; ++y) {
    const uint8_t* in = job.in + static_cast<size_t>(y) * job.in_stride_bytes;
    uint8_t* out = job.out + static_cast<size_t>(y) * job.out_stride_bytes;
    for (int32_t x = 0; x < job.width; ++x) {
      const int32_t* w = job.weights + static_cast<size_t>(x) * static_cast<size_t>(taps);
      const uint8_t* p = in + static_cast<size_t>(job.firsts[x]) * 4;
      for (int32_t c = 0; c < 4; ++c) {
        int32_t sum = kHalf;
        for (int32_t k = 0; k < taps; ++k) {
          sum += w[k] * p[4 * k + c];
        }
        out[4 * x + c] = to_pixel(sum);
      }
    }
  }
}

void vertical_scalar(const PassJob& job) {
  const int32_t taps = job.groups * kTapsInGroup;
  for (int32_t y = 0; y < job.height; ++y) {
    const int32_t* w = job.weights + static_cast<size_t>(y) * static_cast<size_t>(taps);
    const int32_t first = job.firsts[y];
    const int32_t rows = std::min(taps, job.source_rows - first);
    uint8_t* out = job.out + static_cast<size_t>(y) * job.out_stride_bytes;
    for (int32_t x = 0; x < 4 * job.width; ++x) {
      int32_t sum = kHalf;
      for (int32_t k = 0; k < rows; ++k) {
        sum +=
            w[k] *
            job.in[static_cast<size_t>(first + k) * job.in_stride_bytes + static_cast<size_t>(x)];
      }
      out[x] = to_pixel(sum);
    }
  }
}

}  // namespace stoker::image
