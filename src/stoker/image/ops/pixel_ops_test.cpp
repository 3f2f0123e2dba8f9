// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/ops/pixel_ops.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace stoker::image {
namespace {

using Colour = std::array<int, 3>;

// Applies the operation to rows of `width` pixels that lie further apart than they are long.
std::vector<Colour> applied(const PixelOp& op, const std::vector<double>& arguments,
                            const std::vector<Colour>& pixels, int32_t width) {
  const auto height = static_cast<int32_t>(pixels.size()) / width;
  const size_t stride = 4 * static_cast<size_t>(width) + 12;
  std::vector<uint8_t> bytes(stride * static_cast<size_t>(height), 99);
  const ImageView view{bytes.data(), width, height, 4, stride};
  const auto at = [&](size_t i) {
    return view.row(static_cast<int32_t>(i) / width) + i % static_cast<size_t>(width) * 4;
  };
  for (size_t i = 0; i < pixels.size(); ++i) {
    for (size_t channel = 0; channel < 3; ++channel) {
      at(i)[channel] = static_cast<uint8_t>(pixels[i][channel]);
    }
  }
  PixelScratch scratch;
  op.apply(view, arguments, scratch);
  std::vector<Colour> result;
  result.reserve(pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    result.push_back({at(i)[0], at(i)[1], at(i)[2]});
  }
  for (int32_t y = 0; y < height; ++y) {
    EXPECT_EQ(view.row(y)[stride - 1], 99) << "written beyond the row";
  }
  return result;
}

// Pillow's values for two pixels.
TEST(PixelOps, OfTwoPixels) {
  const std::vector<Colour> two = {{0, 100, 255}, {10, 20, 30}};
  using Two = std::vector<Colour>;
  EXPECT_EQ(applied(kAdjustBrightness, {0.5}, two, 2), (Two{{0, 50, 127}, {5, 10, 15}}));
  EXPECT_EQ(applied(kAdjustContrast, {0.5}, two, 2), (Two{{26, 76, 154}, {31, 36, 41}}));
  EXPECT_EQ(applied(kAdjustSaturation, {0.0}, two, 2), (Two{{88, 88, 88}, {18, 18, 18}}));
  EXPECT_EQ(applied(kAdjustSaturation, {2.0}, two, 2), (Two{{0, 112, 255}, {2, 22, 42}}));
  EXPECT_EQ(applied(kAutocontrast, {}, two, 2), (Two{{0, 255, 255}, {255, 0, 0}}));
  EXPECT_EQ(applied(kSolarize, {100}, two, 2), (Two{{0, 155, 0}, {10, 20, 30}}));
  EXPECT_EQ(applied(kSolarize, {256}, two, 2), two);
  EXPECT_EQ(applied(kPosterize, {3}, two, 2), (Two{{0, 96, 224}, {0, 0, 0}}));
  EXPECT_EQ(applied(kPosterize, {8}, two, 2), two);
}

TEST(PixelOps, SharpnessLeavesTheBorder) {
  std::vector<Colour> nine(9, {13, 26, 39});
  nine[4] = {255, 0, 100};
  std::vector<Colour> smooth = nine;
  smooth[4] = {106, 16, 62};
  std::vector<Colour> sharp = nine;
  sharp[4] = {255, 0, 138};
  EXPECT_EQ(applied(kAdjustSharpness, {0.0}, nine, 3), smooth);
  EXPECT_EQ(applied(kAdjustSharpness, {2.0}, nine, 3), sharp);
  EXPECT_EQ(applied(kAdjustSharpness, {2.0}, nine, 9), nine);
}

TEST(PixelOps, EqualizeSpreadsWhatOccurs) {
  std::vector<Colour> pixels;
  pixels.reserve(600);
  for (int i = 0; i < 600; ++i) {
    pixels.push_back({i / 200, 7, 40});
  }
  // 400 pixels below the greatest make steps of 1: 0, 200 and 400, of which 255 is the most.
  const std::vector<Colour> result = applied(kEqualize, {}, pixels, 600);
  EXPECT_EQ(result[0], (Colour{0, 7, 40}));
  EXPECT_EQ(result[300], (Colour{200, 7, 40}));
  EXPECT_EQ(result[599], (Colour{255, 7, 40}));
}

TEST(PixelOps, AffineMovesAndTurns) {
  using Four = std::vector<Colour>;
  const Colour a = {1, 2, 3};
  const Colour b = {4, 5, 6};
  const Colour c = {7, 8, 9};
  const Colour d = {10, 11, 12};
  const Colour fill = {50, 60, 70};
  const auto moved = [&](std::vector<double> matrix) {
    matrix.insert(matrix.end(), {50, 60, 70});
    return applied(kAffine, matrix, {a, b, c, d}, 2);
  };
  EXPECT_EQ(moved({1, 0, 0, 0, 1, 0}), (Four{a, b, c, d}));
  EXPECT_EQ(moved({1, 0, 1, 0, 1, 0}), (Four{b, fill, d, fill}));
  EXPECT_EQ(moved({1, 0, 0, 0, 1, -1}), (Four{fill, fill, a, b}));
  EXPECT_EQ(moved({1, 0, 9, 0, 1, 0}), (Four{fill, fill, fill, fill}));
  EXPECT_EQ(moved({-1, 0, 2, 0, -1, 2}), (Four{d, c, b, a}));
  EXPECT_EQ(moved({0.5, 0, 0, 0, 0.5, 0}), (Four{a, a, a, a}));
  EXPECT_EQ(moved({0, -1, 2, 1, 0, 0}), (Four{b, d, a, c}));
  // Too far for fixed point: each row begins with a pixel of the diagonal.
  EXPECT_EQ(moved({40000, 1, -20000, 0, 1, 0}), (Four{a, fill, d, fill}));
}

}  // namespace
}  // namespace stoker::image
