// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "stoker/image/ops/lookup.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

ByteTable equalized(const Histogram& counts) {
  ByteTable table{};
  uint32_t total = 0;
  uint32_t last = 0;  // count of the greatest value that occurs
  for (const uint32_t count : counts) {
    total += count;
    last = count > 0 ? count : last;
  }
  const uint32_t step = (total - last) / 255;
  if (step == 0) {
    std::iota(table.begin(), table.end(), uint8_t{0});
    return table;
  }
  uint32_t sum = step / 2;
  for (size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<uint8_t>(std::min(sum / step, 255U));
    sum += counts[i];
  }
  return table;
}

void apply(const ImageView& rgbx, std::span<const double> /*arguments*/,
           PixelScratch& /*scratch*/) {
  const std::array<Histogram, 3> counts = histograms(rgbx);
  look_up(rgbx, {equalized(counts[0]), equalized(counts[1]), equalized(counts[2])});
}

}  // namespace

const PixelOp kEqualize = {"equalize", {}, apply};

}  // namespace stoker::image
