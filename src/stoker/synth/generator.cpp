// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace stoker::synth {
namespace {

constexpr int kLeaves = 40;

// Streams of Philox within one image.
constexpr uint32_t kShapesStream = 0;
constexpr uint32_t kLightNoiseStream = 1;
constexpr uint32_t kRedNoiseStream = 2;
constexpr uint32_t kBlueNoiseStream = 3;

Color jittered(const Color& color, float amount, Philox& draws) {
  const float all = draws.uniform(-amount, amount);
  return {color.r + all + draws.uniform(-amount, amount) * 0.3F,
          color.g + all + draws.uniform(-amount, amount) * 0.3F,
          color.b + all + draws.uniform(-amount, amount) * 0.3F};
}

// `u`, `v`: place inside the shape's own square, -1 to 1.
bool covers(Shape shape, float u, float v) {
  switch (shape) {
    case Shape::Ellipse:
      return u * u + v * v <= 1;
    case Shape::Rectangle:
      return std::abs(u) <= 0.9F && std::abs(v) <= 0.9F;
    case Shape::Triangle:
      return v >= -0.7F && v + 1.7F * std::abs(u) <= 0.9F;
    case Shape::Ring: {
      const float r2 = u * u + v * v;
      return r2 <= 1 && r2 >= 0.3F;
    }
  }
  return false;
}

// A triangle wave, -1 to 1, with period 1.
float wave(float x) {
  return 4 * std::abs(x - std::floor(x + 0.5F)) - 1;
}

uint8_t to_byte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0F, 255.0F));
}

Direction turned(const Direction& d, const Direction& by) {
  return {d.x * by.x - d.y * by.y, d.x * by.y + d.y * by.x};
}

}  // namespace

// An object: its own square around (x, y), turned by `direction`.
struct Generator::Leaf {
  Shape shape = Shape::Ellipse;
  float x = 0, y = 0;                // centre in pixels
  float radius_u = 1, radius_v = 1;  // in pixels
  Direction direction;
  Color color;
  float shade = 0;  // change of brightness from side to side
};

ImageView Generator::draw(const ImageSpec& spec) {
  width_ = spec.width;
  height_ = spec.height;
  const size_t count = static_cast<size_t>(width_) * static_cast<size_t>(height_);
  for (std::vector<float>* plane : {&red_, &green_, &blue_, &light_}) {
    plane->resize(count);
  }
  pixels_.resize(3 * count);
  const ClassLook look = look_of_class(spec.seed, spec.class_index);
  Philox draws(spec.seed, spec.index, kShapesStream);
  paint_background(look, draws);
  paint_leaves(look, draws);
  add_texture(look, spec, draws);
  write_pixels();
  return {.data = pixels_.data(),
          .width = width_,
          .height = height_,
          .channels = 3,
          .stride_bytes = 3 * static_cast<size_t>(width_)};
}

void Generator::paint_background(const ClassLook& look, Philox& draws) {
  const Color near = jittered(look.palette[0], 30, draws);
  const Color far = jittered(look.palette[2], 30, draws);
  const float scale = 1.0F / static_cast<float>(width_ + height_);
  const int32_t center_x = width_ / 2;
  const int32_t center_y = height_ / 2;
  size_t at = 0;
  for (int32_t y = 0; y < height_; ++y) {
    for (int32_t x = 0; x < width_; ++x, ++at) {
      const float along = look.direction.x * static_cast<float>(x - center_x) +
                          look.direction.y * static_cast<float>(y - center_y);
      const float share = 0.5F + along * scale;
      red_[at] = near.r + (far.r - near.r) * share;
      green_[at] = near.g + (far.g - near.g) * share;
      blue_[at] = near.b + (far.b - near.b) * share;
    }
  }
}

void Generator::paint_leaves(const ClassLook& look, Philox& draws) {
  const auto side = static_cast<float>(std::min(width_, height_));
  for (int i = 0; i < kLeaves; ++i) {
    // Large ones first, many small ones: sizes fall as 1 / number.
    const float radius = side * std::max(0.35F / (1 + 0.35F * static_cast<float>(i)), 0.02F);
    Leaf leaf;
    leaf.shape = look.shape;
    leaf.x = draws.uniform(0, static_cast<float>(width_));
    leaf.y = draws.uniform(0, static_cast<float>(height_));
    leaf.radius_u = radius * draws.uniform(0.8F, 1.4F);
    leaf.radius_v = radius * draws.uniform(0.5F, 0.9F);
    Direction jitter = direction_at(draws.uniform(0, 0.08F));
    jitter.y *= draws.below(2) == 0 ? 1.0F : -1.0F;
    leaf.direction = turned(look.direction, jitter);
    leaf.color = jittered(look.palette[draws.below(4)], 25, draws);
    leaf.shade = draws.uniform(-35, 35);
    paint_leaf(leaf);
  }
}

void Generator::paint_leaf(const Leaf& leaf) {
  const float reach = std::max(leaf.radius_u, leaf.radius_v) * 1.5F;
  const int32_t x0 = std::max(static_cast<int32_t>(leaf.x - reach), 0);
  const int32_t x1 = std::min(static_cast<int32_t>(leaf.x + reach) + 1, width_);
  const int32_t y0 = std::max(static_cast<int32_t>(leaf.y - reach), 0);
  const int32_t y1 = std::min(static_cast<int32_t>(leaf.y + reach) + 1, height_);
  for (int32_t y = y0; y < y1; ++y) {
    const float dy = static_cast<float>(y) - leaf.y;
    for (int32_t x = x0; x < x1; ++x) {
      const float dx = static_cast<float>(x) - leaf.x;
      const float u = (leaf.direction.x * dx + leaf.direction.y * dy) / leaf.radius_u;
      const float v = (leaf.direction.x * dy - leaf.direction.y * dx) / leaf.radius_v;
      if (!covers(leaf.shape, u, v)) {
        continue;
      }
      const size_t at =
          static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
      const float shade = leaf.shade * v;
      red_[at] = leaf.color.r + shade;
      green_[at] = leaf.color.g + shade;
      blue_[at] = leaf.color.b + shade;
    }
  }
}

void Generator::add_texture(const ClassLook& look, const ImageSpec& spec, Philox& draws) {
  const float phase = draws.uniform();
  const float per_pixel = 500.0F / (look.stripe_cell * static_cast<float>(width_));
  const float strength = draws.uniform(6, 14);
  size_t at = 0;
  for (int32_t y = 0; y < height_; ++y) {
    for (int32_t x = 0; x < width_; ++x, ++at) {
      const float across =
          look.direction.x * static_cast<float>(y) - look.direction.y * static_cast<float>(x);
      light_[at] = strength * wave(across * per_pixel + phase);
    }
  }
  const float grain = draws.uniform(10, 13);
  noise_.add(light_, width_, height_, {.finest_cell = 1, .coarsest_cell = 64, .amplitude = grain},
             spec.seed, spec.index, kLightNoiseStream);
  const NoiseField::Octaves tint{.finest_cell = 4, .coarsest_cell = 64, .amplitude = 4};
  noise_.add(red_, width_, height_, tint, spec.seed, spec.index, kRedNoiseStream);
  noise_.add(blue_, width_, height_, tint, spec.seed, spec.index, kBlueNoiseStream);
}

void Generator::write_pixels() {
  uint8_t* out = pixels_.data();
  for (size_t at = 0; at < light_.size(); ++at, out += 3) {
    out[0] = to_byte(red_[at] + light_[at]);
    out[1] = to_byte(green_[at] + light_[at]);
    out[2] = to_byte(blue_[at] + light_[at]);
  }
}

}  // namespace stoker::synth
