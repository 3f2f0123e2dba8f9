// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/generator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace stoker::synth {
namespace {

std::vector<uint8_t> pixels_of(Generator& generator, const ImageSpec& spec) {
  const ImageView view = generator.draw(spec);
  return {view.data, view.data + view.stride_bytes * static_cast<size_t>(view.height)};
}

uint64_t fnv1a(const std::vector<uint8_t>& bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint8_t byte : bytes) {
    hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

// The promise "the same bytes for the same seed" holds between versions and machines too.
TEST(Generator, PixelsOfASpecNeverChange) {
  Generator generator;
  const auto pixels =
      pixels_of(generator, {.width = 61, .height = 47, .seed = 5, .index = 3, .class_index = 2});
  EXPECT_EQ(fnv1a(pixels), 799793607346305897U);
}

TEST(Generator, EarlierImagesLeaveNoTrace) {
  Generator used;
  pixels_of(used, {.width = 100, .height = 80, .index = 9});
  Generator fresh;
  const ImageSpec spec{.width = 64, .height = 48, .seed = 1, .index = 4, .class_index = 1};
  EXPECT_EQ(pixels_of(used, spec), pixels_of(fresh, spec));
}

TEST(Generator, SeedAndIndexEachChangeTheImage) {
  Generator generator;
  const auto base = pixels_of(generator, {.width = 32, .height = 32});
  EXPECT_NE(base, pixels_of(generator, {.width = 32, .height = 32, .seed = 1}));
  EXPECT_NE(base, pixels_of(generator, {.width = 32, .height = 32, .index = 1}));
}

TEST(Generator, SmallestSizes) {
  Generator generator;
  EXPECT_EQ(pixels_of(generator, {.width = 1, .height = 1}).size(), 3U);
  EXPECT_EQ(pixels_of(generator, {.width = 1, .height = 130}).size(), 390U);
}

std::array<double, 3> mean_color(Generator& generator, const ImageSpec& spec) {
  const auto pixels = pixels_of(generator, spec);
  std::array<double, 3> sum{};
  for (size_t i = 0; i < pixels.size(); ++i) {
    sum[i % 3] += pixels[i];
  }
  for (double& channel : sum) {
    channel /= static_cast<double>(pixels.size()) / 3;
  }
  return sum;
}

double distance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// If the mean colour alone tells four classes apart, a network can learn them.
TEST(Generator, ClassesCanBeLearnt) {
  constexpr int kClasses = 4;
  constexpr int kImages = 20;
  Generator generator;
  std::array<std::array<double, 3>, kClasses> centers{};
  const auto color_of = [&](int c, uint64_t index) {
    return mean_color(generator, {.width = 100, .height = 75, .index = index, .class_index = c});
  };
  for (int c = 0; c < kClasses; ++c) {
    for (uint64_t i = 0; i < kImages; ++i) {
      const auto color = color_of(c, i * kClasses);
      for (size_t k = 0; k < 3; ++k) {
        centers[static_cast<size_t>(c)][k] += color[k] / kImages;
      }
    }
  }
  int right = 0;
  for (int c = 0; c < kClasses; ++c) {
    for (uint64_t i = 100; i < 100 + kImages; ++i) {
      const auto color = color_of(c, i * kClasses);
      size_t best = 0;
      for (size_t k = 1; k < kClasses; ++k) {
        best = distance(color, centers[k]) < distance(color, centers[best]) ? k : best;
      }
      right += best == static_cast<size_t>(c) ? 1 : 0;
    }
  }
  EXPECT_GE(right, kClasses * kImages * 9 / 10);
}

TEST(ClassLook, DirectionsAreUnitVectorsOfAHalfCircle) {
  EXPECT_FLOAT_EQ(direction_at(0).x, 1);
  EXPECT_FLOAT_EQ(direction_at(0.25F).x, 0.6F);
  EXPECT_FLOAT_EQ(direction_at(0.25F).y, 0.8F);
  EXPECT_FLOAT_EQ(direction_at(0.5F).y, 1);
  EXPECT_FLOAT_EQ(direction_at(0.75F).x, -0.8F);
}

TEST(ClassLook, HsvCorners) {
  const Color red = color_of_hsv(0, 1, 1);
  EXPECT_FLOAT_EQ(red.r, 255);
  EXPECT_FLOAT_EQ(red.g, 0);
  const Color green = color_of_hsv(1.0F / 3, 1, 1);
  EXPECT_NEAR(green.r, 0, 1e-3);
  EXPECT_FLOAT_EQ(green.g, 255);
  const Color grey = color_of_hsv(0.7F, 0, 0.5F);
  EXPECT_FLOAT_EQ(grey.r, 127.5F);
  EXPECT_FLOAT_EQ(grey.b, 127.5F);
}

TEST(NoiseField, IsTheLatticeAtItsNodesAndStraightBetween) {
  NoiseField noise;
  std::vector<float> plane(size_t{9} * 5, 0.0F);
  noise.add(plane, 9, 5, {.finest_cell = 4, .coarsest_cell = 4, .amplitude = 2}, 1, 2, 3);
  Philox draws(1, 2, 3 * 256 + 4);
  const float first = 2 * draws.uniform(-1, 1);
  const float second = 2 * draws.uniform(-1, 1);
  EXPECT_FLOAT_EQ(plane[0], first);
  EXPECT_FLOAT_EQ(plane[4], second);
  EXPECT_NEAR(plane[1], first + (second - first) / 4, 1e-6);
}

}  // namespace
}  // namespace stoker::synth
