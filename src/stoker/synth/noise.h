// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stoker::synth {

// Adds noise with a spectrum like that of photographs (amplitude ~ 1/f): one lattice of random
// values an octave, each with the same amplitude, joined by straight lines. Cells are from
// `finest_cell` (a power of two) to `coarsest_cell` pixels wide. One thread an object.
class NoiseField {
 public:
  struct Octaves {
    int32_t finest_cell = 1;
    int32_t coarsest_cell = 64;
    float amplitude = 1;  // largest change by one octave
  };

  // `plane` is width * height, row by row. `stream` tells the fields of one image apart.
  void add(std::span<float> plane, int32_t width, int32_t height, const Octaves& octaves,
           uint64_t seed, uint64_t image, uint32_t stream);

 private:
  void add_octave(std::span<float> plane, int32_t width, int32_t height, int32_t cell,
                  float amplitude);
  std::vector<float> lattice_;
  std::vector<float> blended_;
};

}  // namespace stoker::synth
