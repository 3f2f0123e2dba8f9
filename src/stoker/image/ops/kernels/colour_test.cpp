// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/kernels/colour.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace stoker::image {
namespace {

constexpr size_t kPixels = 1000;

std::vector<uint8_t> random_pixels(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(4 * kPixels);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(random()); });
  for (size_t i = 0; i < 4 * kPixels; i += 28) {
    bytes[i + 1] = bytes[i + 2] = bytes[i];  // some greys
  }
  return bytes;
}

// The bytes of red, green and blue: X is not kept.
std::vector<uint8_t> colours(const std::vector<uint8_t>& rgbx) {
  std::vector<uint8_t> rgb;
  for (size_t i = 0; i < rgbx.size(); ++i) {
    if (i % 4 != 3) {
      rgb.push_back(rgbx[i]);
    }
  }
  return rgb;
}

// Rows of every length up to some vectors, so that ends of rows are met as well; pixels after the
// row must stay.
template <class Run>
void expect_as_plain(SimdTarget target, Run run) {
  for (size_t pixels = 0; pixels < 70; ++pixels) {
    std::vector<uint8_t> got = random_pixels(static_cast<uint32_t>(pixels));
    std::vector<uint8_t> plain = got;
    run(colour_kernels(target), got.data(), pixels);
    run(colour_kernels(SimdTarget::Scalar), plain.data(), pixels);
    ASSERT_EQ(colours(got), colours(plain)) << pixels;
  }
}

class ColourTest : public ::testing::TestWithParam<SimdTarget> {};

INSTANTIATE_TEST_SUITE_P(Targets, ColourTest, ::testing::ValuesIn(supported_targets()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(ColourTest, BlendsAreThePlainOnes) {
  for (const float factor : {-0.5F, 0.0F, 0.3F, 0.99F, 1.0F, 1.7F, 300.0F}) {
    expect_as_plain(GetParam(), [&](const ColourKernels& kernels, uint8_t* rgbx, size_t pixels) {
      kernels.blend(rgbx, pixels, 117, factor);
    });
    expect_as_plain(GetParam(), [&](const ColourKernels& kernels, uint8_t* rgbx, size_t pixels) {
      kernels.blend_with_grey(rgbx, pixels, factor);
    });
  }
}

TEST_P(ColourTest, HuesAreThePlainOnes) {
  for (const int shift : {0, 1, 25, 127, 128, 255}) {
    expect_as_plain(GetParam(), [&](const ColourKernels& kernels, uint8_t* rgbx, size_t pixels) {
      kernels.shift_hue(rgbx, pixels, static_cast<uint8_t>(shift));
    });
  }
}

TEST_P(ColourTest, SumsOfGrey) {
  const std::vector<uint8_t> pixels = random_pixels(7);
  for (size_t count = 0; count < 70; ++count) {
    EXPECT_EQ(colour_kernels(GetParam()).sum_of_grey(pixels.data(), count),
              colour_kernels(SimdTarget::Scalar).sum_of_grey(pixels.data(), count));
  }
  const std::vector<uint8_t> white(4 * kPixels, 255);
  EXPECT_EQ(colour_kernels(GetParam()).sum_of_grey(white.data(), kPixels), 255 * kPixels);
}

// Pillow's values for a third of the circle.
TEST_P(ColourTest, KnownColours) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 40; ++i) {
    pixels.insert(pixels.end(), {200, 100, 50, 0});
  }
  colour_kernels(GetParam()).shift_hue(pixels.data(), 40, 85);
  for (size_t i = 0; i < pixels.size(); i += 4) {
    EXPECT_EQ(pixels[i], 50);
    EXPECT_EQ(pixels[i + 1], 200);
    EXPECT_EQ(pixels[i + 2], 100);
  }
}

}  // namespace
}  // namespace stoker::image
