// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/pad.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace stoker::image {
namespace {

constexpr size_t kPixelBytes = 4;

// The source of coordinate `at` (negative in the border) among `count` pixels, for the modes that
// repeat the image.
int32_t source_of(int32_t at, int32_t count, PadMode mode) {
  if (mode == PadMode::Edge) {
    return std::clamp(at, 0, count - 1);
  }
  // Both others have a period; Reflect does not show the edge twice.
  const int32_t twice = mode == PadMode::Reflect ? std::max(1, 2 * count - 2) : 2 * count;
  const int32_t in_period = ((at % twice) + twice) % twice;
  if (in_period < count) {
    return in_period;
  }
  return mode == PadMode::Reflect ? twice - in_period : twice - 1 - in_period;
}

uint8_t* pixel_at(uint8_t* row, int32_t x) {
  return row + static_cast<size_t>(x) * kPixelBytes;
}

void fill(uint8_t* row, int32_t first, int32_t end, const std::array<uint8_t, 3>& colour) {
  const uint8_t pixel[kPixelBytes] = {colour[0], colour[1], colour[2], 255};
  for (int32_t x = first; x < end; ++x) {
    std::memcpy(pixel_at(row, x), pixel, kPixelBytes);
  }
}

// Columns of a row whose middle, the image, is there already.
void pad_columns(uint8_t* row, int32_t first, int32_t end, int32_t width, const PadStep& step) {
  if (step.mode == PadMode::Constant) {
    fill(row, first, end, step.fill);
    return;
  }
  for (int32_t x = first; x < end; ++x) {
    const int32_t from = step.left + source_of(x - step.left, width, step.mode);
    std::memcpy(pixel_at(row, x), pixel_at(row, from), kPixelBytes);
  }
}

// Rows above or below those that have the image.
void pad_rows(const ImageView& out, int32_t first, int32_t end, int32_t height,
              const PadStep& step) {
  for (int32_t y = first; y < end; ++y) {
    if (step.mode == PadMode::Constant) {
      fill(out.row(y), 0, out.width, step.fill);
    } else {
      const int32_t from = step.top + source_of(y - step.top, height, step.mode);
      std::memcpy(out.row(y), out.row(from), static_cast<size_t>(out.width) * kPixelBytes);
    }
  }
}

}  // namespace

void pad(const ImageView& in, const PadStep& step, const ImageView& out) {
  for (int32_t y = 0; y < in.height; ++y) {
    uint8_t* to = out.row(step.top + y);
    std::memcpy(pixel_at(to, step.left), in.row(y), static_cast<size_t>(in.width) * kPixelBytes);
    pad_columns(to, 0, step.left, in.width, step);
    pad_columns(to, step.left + in.width, out.width, in.width, step);
  }
  pad_rows(out, 0, step.top, in.height, step);
  pad_rows(out, step.top + in.height, out.height, in.height, step);
}

}  // namespace stoker::image
