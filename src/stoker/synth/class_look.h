// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace stoker::synth {

struct Color {
  float r = 0, g = 0, b = 0;  // 0 to 255
};

// A direction as a unit vector.
struct Direction {
  float x = 1, y = 0;
};

enum class Shape : uint8_t { Ellipse, Rectangle, Triangle, Ring };
inline constexpr int kShapeCount = 4;

// What the images of a class have in common, and what a network can learn to tell them apart by.
struct ClassLook {
  std::array<Color, 4> palette;
  Direction direction;  // of shapes, stripes and light
  Shape shape = Shape::Ellipse;
  float stripe_cell = 16;  // distance of stripes in pixels, at a width of 500
};

ClassLook look_of_class(uint64_t seed, int32_t class_index);

// The direction at `turn` of a half circle, 0 to 1. Made of plain arithmetic alone: sine and cosine
// of the C library differ between versions and processors, and so would the images.
Direction direction_at(float turn);

// `hue`, `saturation`, `value` from 0 to 1.
Color color_of_hsv(float hue, float saturation, float value);

}  // namespace stoker::synth
