// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "stoker/core/image_view.h"
#include "stoker/core/rng.h"
#include "stoker/synth/class_look.h"
#include "stoker/synth/noise.h"

namespace stoker::synth {

struct ImageSpec {
  int32_t width = 500;
  int32_t height = 375;
  uint64_t seed = 0;
  uint64_t index = 0;  // of the image in its set
  int32_t class_index = 0;
};

// Draws images that look like photographs to a codec: light that falls off, objects that cover each
// other, oriented texture, noise of all scales. The pixels are a pure function of the spec.
// Memory is reused between images; one a thread.
class Generator {
 public:
  // Packed RGB; valid until the next call.
  ImageView draw(const ImageSpec& spec);

 private:
  struct Leaf;
  void paint_background(const ClassLook& look, Philox& draws);
  void paint_leaves(const ClassLook& look, Philox& draws);
  void paint_leaf(const Leaf& leaf);
  void add_texture(const ClassLook& look, const ImageSpec& spec, Philox& draws);
  void write_pixels();

  int32_t width_ = 0;
  int32_t height_ = 0;
  std::vector<float> red_, green_, blue_;
  std::vector<float> light_;  // texture and noise, the same for all channels
  std::vector<uint8_t> pixels_;
  NoiseField noise_;
};

}  // namespace stoker::synth
