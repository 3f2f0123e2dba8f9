// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"hue_factor"};

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
  const float r = static_cast<float>(most - red) / range;
  const float g = static_cast<float>(most - green) / range;
  const float b = static_cast<float>(most - blue) / range;
  float sixths = 0;
  if (red == most) {
    sixths = b - g;
  } else if (green == most) {
    sixths = static_cast<float>(2.0 + static_cast<double>(r) - static_cast<double>(b));
  } else {
    sixths = static_cast<float>(4.0 + static_cast<double>(g) - static_cast<double>(r));
  }
  const double turns = static_cast<double>(sixths) / 6.0 + 1.0;
  const auto turn = static_cast<float>(turns >= 1.0 ? turns - 1.0 : turns);
  hsv.hue = static_cast<uint8_t>(static_cast<int>(static_cast<double>(turn) * 255.0));
  const float saturation = range / static_cast<float>(most);
  hsv.saturation = static_cast<uint8_t>(static_cast<int>(static_cast<double>(saturation) * 255.0));
  return hsv;
}

// Which sixth of the circle a hue lies in, and how far: the same for all pixels of that hue.
struct Place {
  int sixth = 0;
  double part = 0;
};

std::array<Place, 256> make_places() {
  std::array<Place, 256> places{};
  for (size_t hue = 0; hue < places.size(); ++hue) {
    const double sixths = static_cast<double>(hue) * 6.0 / 255.0;
    const auto whole = static_cast<int>(sixths);
    places[hue] = {whole % 6, static_cast<double>(static_cast<float>(sixths - whole))};
  }
  return places;
}

// To the nearest, halves up; `value` is not negative.
uint8_t rounded(double value) {
  const auto whole = static_cast<int>(value);
  return static_cast<uint8_t>(whole + (value - whole >= 0.5 ? 1 : 0));
}

void to_rgb(const Hsv& hsv, const std::array<Place, 256>& places, uint8_t* pixel) {
  const Place& place = places[hsv.hue];
  const auto value = static_cast<double>(hsv.value);
  const auto saturation = static_cast<double>(static_cast<float>(hsv.saturation / 255.0));
  const uint8_t low = rounded(value * (1.0 - saturation));
  // Sixths by turns: one colour falls, another rises.
  const double part = place.sixth % 2 == 1 ? place.part : 1.0 - place.part;
  const uint8_t middle = rounded(value * (1.0 - saturation * part));
  // Places of the greatest and of the middle colour in each sixth.
  static constexpr uint8_t kMost[] = {0, 1, 1, 2, 2, 0};
  static constexpr uint8_t kMiddle[] = {1, 0, 2, 1, 0, 2};
  const auto sixth = static_cast<size_t>(place.sixth);
  pixel[0] = pixel[1] = pixel[2] = low;
  pixel[kMiddle[sixth]] = middle;
  pixel[kMost[sixth]] = hsv.value;
}

void apply(const ImageView& rgbx, std::span<const double> arguments, PixelScratch& /*scratch*/) {
  static const std::array<Place, 256> places = make_places();
  const auto shift = static_cast<uint8_t>(static_cast<int>(arguments[0] * 255));
  for (int32_t y = 0; y < rgbx.height; ++y) {
    uint8_t* pixel = rgbx.row(y);
    for (int32_t x = 0; x < rgbx.width; ++x, pixel += 4) {
      Hsv hsv = to_hsv(pixel[0], pixel[1], pixel[2]);
      hsv.hue = static_cast<uint8_t>(hsv.hue + shift);
      to_rgb(hsv, places, pixel);
    }
  }
}

}  // namespace

const PixelOp kAdjustHue = {"adjust_hue", kArguments, apply};

}  // namespace stoker::image
