// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/output.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "stoker/pipeline/half.h"

namespace stoker::pipeline {
namespace {

using image::EraseStep;
using image::NormalizeStep;
using image::Step;
using image::ToTensorStep;

struct Picture {
  Picture() {
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<uint8_t>(i * 37);
    }
  }
  ImageView view() { return {bytes.data(), 3, 2, 4, 12}; }
  uint8_t at(int y, int x, int c) const {
    return bytes[(static_cast<size_t>(y) * 3 + static_cast<size_t>(x)) * 4 +
                 static_cast<size_t>(c)];
  }
  std::vector<uint8_t> bytes = std::vector<uint8_t>(24);
};

TEST(Output, Uint8InBothLayouts) {
  Picture picture;
  std::vector<uint8_t> planes(18);
  std::vector<uint8_t> packed(18);
  OutputWriter(Dtype::Uint8, Layout::Nchw, {}).write(picture.view(), {}, planes.data());
  OutputWriter(Dtype::Uint8, Layout::Nhwc, {}).write(picture.view(), {}, packed.data());
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 2; ++y) {
      for (int x = 0; x < 3; ++x) {
        EXPECT_EQ(planes[static_cast<size_t>(c * 6 + y * 3 + x)], picture.at(y, x, c));
        EXPECT_EQ(packed[static_cast<size_t>((y * 3 + x) * 3 + c)], picture.at(y, x, c));
      }
    }
  }
}

TEST(Output, FloatsAreToTensorAndNormalize) {
  Picture picture;
  const std::vector<Step> steps = {
      ToTensorStep{}, NormalizeStep{{0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}}};
  std::vector<float> out(18);
  OutputWriter(Dtype::Float32, Layout::Nchw, steps).write(picture.view(), steps, out.data());
  const float expected = (static_cast<float>(picture.at(1, 2, 1)) / 255.0F - 0.456F) / 0.224F;
  EXPECT_EQ(out[6 + 5], expected);
}

TEST(Output, ErasedValuesPassWhatComesAfterTheErasing) {
  Picture picture;
  const std::vector<Step> steps = {
      ToTensorStep{},
      EraseStep{.top = 1, .left = 1, .height = 1, .width = 2, .value = {0.5F, 0.25F, 1}},
      NormalizeStep{{0.5F, 0.5F, 0.5F}, {0.5F, 0.5F, 0.5F}}};
  const std::vector<Step> values = {steps[0], steps[2]};
  std::vector<float> out(18);
  OutputWriter(Dtype::Float32, Layout::Nhwc, values).write(picture.view(), steps, out.data());
  EXPECT_EQ(out[12], 0);  // three values a pixel
  EXPECT_EQ(out[13], -0.5F);
  EXPECT_EQ(out[17], 1);
  EXPECT_EQ(out[9], (static_cast<float>(picture.at(1, 0, 0)) / 255.0F - 0.5F) / 0.5F);
}

// Mean 0 and variance 1 within five standard errors, and the same numbers for the same key.
TEST(Output, NoiseIsStandardNormal) {
  const int32_t side = 100;
  std::vector<uint8_t> pixels(static_cast<size_t>(side) * side * 4);
  const ImageView view{pixels.data(), side, side, 4, static_cast<size_t>(side) * 4};
  const std::vector<Step> steps = {
      ToTensorStep{}, EraseStep{.height = side, .width = side, .noise = true, .noise_key = 5}};
  const OutputWriter writer(Dtype::Float32, Layout::Nchw, std::span(steps).first(1));
  std::vector<float> out(30000);
  std::vector<float> again(30000);
  writer.write(view, steps, out.data());
  writer.write(view, steps, again.data());
  EXPECT_EQ(out, again);
  double sum = 0;
  double squares = 0;
  for (const float value : out) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  EXPECT_NEAR(sum / 30000, 0, 0.029);
  EXPECT_NEAR(squares / 30000, 1, 0.041);
}

TEST(Half, RoundsToEven) {
  EXPECT_EQ(to_bfloat16(1.0F), 0x3F80);
  EXPECT_EQ(to_bfloat16(std::bit_cast<float>(0x3F808000U)), 0x3F80);  // a tie, to the even one
  EXPECT_EQ(to_bfloat16(std::bit_cast<float>(0x3F818000U)), 0x3F82);
  EXPECT_EQ(to_bfloat16(-2.5F), 0xC020);
  EXPECT_EQ(to_float16(1.0F), 0x3C00);
  EXPECT_EQ(to_float16(-0.0F), 0x8000);
  EXPECT_EQ(to_float16(65504.0F), 0x7BFF);
  EXPECT_EQ(to_float16(65520.0F), 0x7C00);
  EXPECT_EQ(to_float16(std::ldexp(1.0F, -24)), 0x0001);
  EXPECT_EQ(to_float16(std::ldexp(1.0F, -25)), 0x0000);  // a tie
  EXPECT_EQ(to_float16(std::ldexp(1.5F, -25)), 0x0001);
  EXPECT_EQ(to_float16(1.0F + std::ldexp(1.0F, -11)), 0x3C00);  // a tie
  EXPECT_EQ(to_float16(1.0F + std::ldexp(3.0F, -11)), 0x3C02);
}

}  // namespace
}  // namespace stoker::pipeline
