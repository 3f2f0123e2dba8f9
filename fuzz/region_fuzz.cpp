// SPDX-License-Identifier: Apache-2.0
// A region of a clean file must equal the crop of the whole, whatever the bits say.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "stoker/codec/decoders_registry.h"

namespace {

constexpr int32_t kMaxPixels = 1 << 20;

using stoker::ImageView;
using stoker::Region;

bool decode(stoker::codec::DecoderState& state, stoker::codec::Bytes data, const Region& region,
            std::vector<uint8_t>& pixels) {
  const auto row = static_cast<size_t>(region.width()) * 4;
  pixels.assign(row * static_cast<size_t>(region.height()), 0);
  const ImageView out{pixels.data(), region.width(), region.height(), 4, row};
  return state.decode(data, {region, stoker::codec::PixelFormat::Rgbx}, out).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto state = stoker::codec::all_decoders().at(0).make_state();
  const stoker::codec::Bytes bytes(data, size);
  const auto info = state->read_info(bytes);
  if (!info.ok() || !info->clean || size < 8 || int64_t{info->width} * info->height > kMaxPixels) {
    return 0;
  }
  // The bytes at the end, which may lie behind the end marker, choose the region.
  const auto choose = [&](size_t i, int32_t limit) {
    return (data[size - 2 * i - 1] << 8 | data[size - 2 * i - 2]) % limit;
  };
  Region region;
  region.x0 = choose(0, info->width);
  region.y0 = choose(1, info->height);
  region.x1 = region.x0 + 1 + choose(2, info->width - region.x0);
  region.y1 = region.y0 + 1 + choose(3, info->height - region.y0);
  static std::vector<uint8_t> whole;
  static std::vector<uint8_t> part;
  if (!decode(*state, bytes, {0, 0, info->width, info->height}, whole) ||
      !decode(*state, bytes, region, part)) {
    return 0;
  }
  const size_t row = static_cast<size_t>(region.width()) * 4;
  for (int32_t y = 0; y < region.height(); ++y) {
    const uint8_t* want =
        whole.data() + (static_cast<size_t>(region.y0 + y) * static_cast<size_t>(info->width) +
                        static_cast<size_t>(region.x0)) *
                           4;
    if (!std::equal(want, want + row, part.data() + static_cast<size_t>(y) * row)) {
      std::abort();
    }
  }
  return 0;
}
