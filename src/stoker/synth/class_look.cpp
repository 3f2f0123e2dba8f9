// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/class_look.h"

#include <algorithm>
#include <cmath>

#include "stoker/core/rng.h"

namespace stoker::synth {
namespace {

// Streams of images count from 0, so those of classes are far away.
constexpr uint32_t kClassStream = 0x80000000;

}  // namespace

Direction direction_at(float turn) {
  // Half-angle form: t from 0 to 1 covers a quarter circle.
  const bool second = turn >= 0.5F;
  const float t = std::clamp(second ? 2 * turn - 1 : 2 * turn, 0.0F, 1.0F);
  const float norm = 1 / (1 + t * t);
  const Direction quarter{(1 - t * t) * norm, 2 * t * norm};
  return second ? Direction{-quarter.y, quarter.x} : quarter;
}

Color color_of_hsv(float hue, float saturation, float value) {
  const float sector = (hue - std::floor(hue)) * 6;
  const auto channel = [&](float offset) {
    float k = offset + sector;
    k -= k >= 6 ? 6.0F : 0.0F;
    const float ramp = std::clamp(std::min(k, 4 - k), 0.0F, 1.0F);
    return 255 * value * (1 - saturation * ramp);
  };
  return {channel(5), channel(3), channel(1)};
}

ClassLook look_of_class(uint64_t seed, int32_t class_index) {
  Philox draws(seed, static_cast<uint64_t>(class_index), kClassStream);
  ClassLook look;
  // Steps of the golden ratio keep the hues of few classes far apart.
  constexpr float kGolden = 0.61803399F;
  const float hue =
      static_cast<float>(class_index) * kGolden + Philox(seed, 0, kClassStream + 1).uniform();
  const float other = hue + draws.uniform(0.08F, 0.3F);
  look.palette = {color_of_hsv(hue, 0.45F, 0.75F), color_of_hsv(hue, 0.65F, 0.4F),
                  color_of_hsv(other, 0.35F, 0.85F), color_of_hsv(other, 0.25F, 0.25F)};
  look.direction = direction_at(draws.uniform());
  look.shape = static_cast<Shape>(class_index % kShapeCount);
  look.stripe_cell = draws.uniform(9, 30);
  return look;
}

}  // namespace stoker::synth
