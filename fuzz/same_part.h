// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "stoker/codec/decoder.h"

namespace stoker::fuzz {

// Decodes a whole picture and a part of it: both or neither must work, with the same pixels.
inline void check_same_part(codec::DecoderState& state, codec::Bytes data, uint32_t choice) {
  constexpr int64_t kMostPixels = 1 << 20;  // larger images only cost time
  const auto info = state.read_info(data);
  if (!info.ok() || int64_t{info->width} * info->height > kMostPixels) {
    return;
  }
  const auto below = [&choice](int32_t limit) {
    choice = choice * 1664525 + 1013904223;
    return static_cast<int32_t>((choice >> 8) % static_cast<uint32_t>(limit));
  };
  Region part;
  part.x0 = below(info->width);
  part.y0 = below(info->height);
  part.x1 = part.x0 + 1 + below(info->width - part.x0);
  part.y1 = part.y0 + 1 + below(info->height - part.y0);
  const auto decode = [&](const Region& region, std::vector<uint8_t>& pixels) {
    const auto row = static_cast<size_t>(region.width()) * 3;
    pixels.resize(row * static_cast<size_t>(region.height()));
    const ImageView out{pixels.data(), region.width(), region.height(), 3, row};
    return state.decode(data, {region, codec::PixelFormat::Rgb}, out).ok();
  };
  static std::vector<uint8_t> whole, some;
  const bool whole_done = decode({0, 0, info->width, info->height}, whole);
  if (decode(part, some) != whole_done) {
    std::abort();
  }
  size_t at = 0;
  for (int32_t y = part.y0; whole_done && y < part.y1; ++y) {
    for (int32_t x = 3 * part.x0; x < 3 * part.x1; ++x) {
      const auto in_whole = static_cast<size_t>(y) * static_cast<size_t>(info->width) * 3;
      if (some[at++] != whole[in_whole + static_cast<size_t>(x)]) {
        std::abort();
      }
    }
  }
}

}  // namespace stoker::fuzz
