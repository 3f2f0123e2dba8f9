// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/pad.h"

#include <algorithm>
#include <cstring>

namespace stoker::image {
namespace {

// The source of coordinate `at` (negative in the border) among `count` pixels; -1: the fill colour.
int32_t source_of(int32_t at, int32_t count, PadMode mode) {
  if (at >= 0 && at < count) {
    return at;
  }
  switch (mode) {
    case PadMode::Constant:
      return -1;
    case PadMode::Edge:
      return std::clamp(at, 0, count - 1);
    case PadMode::Reflect:
    case PadMode::Symmetric:
      break;
  }
  // Both repeat with a period; Reflect does not show the edge twice.
  const int32_t twice = mode == PadMode::Reflect ? std::max(1, 2 * count - 2) : 2 * count;
  const int32_t in_period = ((at % twice) + twice) % twice;
  if (in_period < count) {
    return in_period;
  }
  return mode == PadMode::Reflect ? twice - in_period : twice - 1 - in_period;
}

}  // namespace

void pad(const ImageView& in, const PadStep& step, const ImageView& out) {
  const uint8_t fill[4] = {step.fill[0], step.fill[1], step.fill[2], 255};
  for (int32_t y = 0; y < out.height; ++y) {
    const int32_t from_y = source_of(y - step.top, in.height, step.mode);
    uint8_t* to = out.row(y);
    for (int32_t x = 0; x < out.width; ++x, to += 4) {
      const int32_t from_x = source_of(x - step.left, in.width, step.mode);
      const bool inside = from_x >= 0 && from_y >= 0;
      std::memcpy(to, inside ? in.row(from_y) + static_cast<size_t>(from_x) * 4 : fill, 4);
    }
  }
}

}  // namespace stoker::image
