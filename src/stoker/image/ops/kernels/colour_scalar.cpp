// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/kernels/colour_scalar.h"

#include <algorithm>
#include <cmath>

#include "stoker/image/ops/blend.h"

namespace stoker::image {
namespace {

// Pillow's mode L.
int grey_of(const uint8_t* rgbx) {
  return (rgbx[0] * 19595 + rgbx[1] * 38470 + rgbx[2] * 7471 + 0x8000) >> 16;
}

// Pillow's mode HSV has eight bits for each, and computes some steps in float32 and others in
// double. Which are which shows in the bytes.
struct Hsv {
  uint8_t hue = 0, saturation = 0, value = 0;
};

Hsv to_hsv(int red, int green, int blue) {
  const int most = std::max(red, std::max(green, blue));
  const int least = std::min(red, std::min(green, blue));
  Hsv hsv{.value = static_cast<uint8_t>(most)};
  if (most == least) {
    return hsv;
  }
  const auto range = static_cast<float>(most - least);
  const double r = static_cast<float>(most - red) / range;
  const double g = static_cast<float>(most - green) / range;
  const double b = static_cast<float>(most - blue) / range;
  double sum = 4.0 + g - r;
  if (red == most) {
    sum = b - g;
  } else if (green == most) {
    sum = 2.0 + r - b;
  }
  const double turns = static_cast<double>(static_cast<float>(sum)) / 6.0 + 1.0;
  const auto turn = static_cast<float>(turns >= 1.0 ? turns - 1.0 : turns);
  hsv.hue = static_cast<uint8_t>(static_cast<int>(static_cast<double>(turn) * 255.0));
  const float saturation = range / static_cast<float>(most);
  hsv.saturation = static_cast<uint8_t>(static_cast<int>(static_cast<double>(saturation) * 255.0));
  return hsv;
}

// To the nearest, halves up. No product here is so close below a half that the sum rounds.
uint8_t rounded(double value) {
  return static_cast<uint8_t>(std::floor(value + 0.5));
}

void to_rgb(const Hsv& hsv, uint8_t* pixel) {
  const double sixths = static_cast<double>(hsv.hue) * 6.0 / 255.0;
  const auto whole = static_cast<int>(sixths);
  const double part = static_cast<float>(sixths - whole);
  const double value = hsv.value;
  const double saturation = static_cast<float>(hsv.saturation / 255.0);
  const uint8_t low = rounded(value * (1.0 - saturation));
  // Sixths by turns: one colour falls, another rises.
  const double rest = whole % 2 == 1 ? part : 1.0 - part;
  const uint8_t middle = rounded(value * (1.0 - saturation * rest));
  // Places of the greatest and of the middle colour in each sixth; the last hue is the first.
  static constexpr uint8_t kMost[] = {0, 1, 1, 2, 2, 0, 0};
  static constexpr uint8_t kMiddle[] = {1, 0, 2, 1, 0, 2, 1};
  pixel[0] = pixel[1] = pixel[2] = low;
  pixel[kMiddle[whole]] = middle;
  pixel[kMost[whole]] = hsv.value;
}

}  // namespace

void blend_scalar(uint8_t* rgbx, size_t pixels, uint8_t from, float factor) {
  for (size_t i = 0; i < 4 * pixels; ++i) {
    rgbx[i] = blend(from, rgbx[i], factor);
  }
}

void blend_with_grey_scalar(uint8_t* rgbx, size_t pixels, float factor) {
  for (size_t i = 0; i < pixels; ++i, rgbx += 4) {
    const int grey = grey_of(rgbx);
    for (size_t channel = 0; channel < 3; ++channel) {
      rgbx[channel] = blend(grey, rgbx[channel], factor);
    }
  }
}

uint64_t sum_of_grey_scalar(const uint8_t* rgbx, size_t pixels) {
  uint64_t sum = 0;
  for (size_t i = 0; i < pixels; ++i, rgbx += 4) {
    sum += static_cast<uint64_t>(grey_of(rgbx));
  }
  return sum;
}

void shift_hue_scalar(uint8_t* rgbx, size_t pixels, uint8_t shift) {
  for (size_t i = 0; i < pixels; ++i, rgbx += 4) {
    Hsv hsv = to_hsv(rgbx[0], rgbx[1], rgbx[2]);
    hsv.hue = static_cast<uint8_t>(hsv.hue + shift);
    to_rgb(hsv, rgbx);
  }
}

}  // namespace stoker::image
