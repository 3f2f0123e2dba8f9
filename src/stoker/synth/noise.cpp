// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/noise.h"

#include <algorithm>

#include "stoker/core/rng.h"

namespace stoker::synth {

void NoiseField::add(std::span<float> plane, int32_t width, int32_t height, const Octaves& octaves,
                     uint64_t seed, uint64_t image, uint32_t stream) {
  for (int32_t cell = octaves.finest_cell; cell <= octaves.coarsest_cell; cell *= 2) {
    const auto columns = static_cast<size_t>(width / cell) + 2;
    const auto rows = static_cast<size_t>(height / cell) + 2;
    Philox draws(seed, image, stream * 256 + static_cast<uint32_t>(cell));
    lattice_.resize(columns * rows);
    for (float& value : lattice_) {
      value = draws.uniform(-1, 1);
    }
    add_octave(plane, width, height, cell, octaves.amplitude);
  }
}

void NoiseField::add_octave(std::span<float> plane, int32_t width, int32_t height, int32_t cell,
                            float amplitude) {
  const auto columns = static_cast<size_t>(width / cell) + 2;
  const float step = 1.0F / static_cast<float>(cell);
  blended_.resize(columns);
  for (int32_t y = 0; y < height; ++y) {
    const float* above = lattice_.data() + static_cast<size_t>(y / cell) * columns;
    const float share = static_cast<float>(y % cell) * step;
    for (size_t i = 0; i < columns; ++i) {
      blended_[i] = amplitude * (above[i] + (above[i + columns] - above[i]) * share);
    }
    float* row = plane.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
    for (int32_t x0 = 0, i = 0; x0 < width; x0 += cell, ++i) {
      const float left = blended_[static_cast<size_t>(i)];
      const float slope = (blended_[static_cast<size_t>(i) + 1] - left) * step;
      const int32_t count = std::min(cell, width - x0);
      for (int32_t k = 0; k < count; ++k) {
        row[x0 + k] += left + slope * static_cast<float>(k);
      }
    }
  }
}

}  // namespace stoker::synth
