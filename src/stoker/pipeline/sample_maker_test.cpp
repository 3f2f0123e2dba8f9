// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/sample_maker.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace stoker::pipeline {
namespace {

using image::Step;

struct Pixels {
  std::vector<uint8_t> bytes;
  ImageView view;
};

Pixels noise(int32_t width, int32_t height) {
  std::mt19937 random(3);
  const size_t stride = static_cast<size_t>(width) * 4;
  Pixels pixels{std::vector<uint8_t>(stride * static_cast<size_t>(height) + 64), {}};
  for (uint8_t& byte : pixels.bytes) {
    byte = static_cast<uint8_t>(random());
  }
  pixels.view = {pixels.bytes.data(), width, height, 4, stride};
  return pixels;
}

std::vector<uint8_t> rgb(const ImageView& view) {
  std::vector<uint8_t> out;
  out.reserve(static_cast<size_t>(view.width) * static_cast<size_t>(view.height) * 3);
  for (int32_t y = 0; y < view.height; ++y) {
    for (size_t x = 0; x < static_cast<size_t>(view.width); ++x) {
      out.insert(out.end(), view.row(y) + 4 * x, view.row(y) + 4 * x + 3);
    }
  }
  return out;
}

// A crop is a part of the memory it came from: what comes after it must not write there.
TEST(ImageSteps, TogetherAreWhatTheyAreOneByOne) {
  const std::vector<Step> steps = {
      image::PadStep{.left = 7, .top = 4, .fill = {9, 8, 7}},
      image::CropStep{.top = 3, .left = 4, .height = 35, .width = 43},
      image::ResizeStep{.height = 56, .width = 35, .filter = image::Filter::Nearest},
      image::CropStep{.top = 5, .left = 5, .height = 40, .width = 20},
      image::PadStep{.left = 1, .top = 2, .right = 3, .bottom = 4, .mode = image::PadMode::Edge},
      image::CropStep{.top = 1, .left = 1, .height = 30, .width = 18},
      image::ResizeStep{.height = 17, .width = 31},
      image::FlipStep{},
  };
  for (size_t count = 1; count <= steps.size(); ++count) {
    Pixels start = noise(40, 46);
    ImageView together = start.view;
    StepScratch scratch;
    ASSERT_TRUE(apply_image_steps(std::span(steps).first(count), image::PassOrder::ByCost, together,
                                  scratch)
                    .ok());
    Pixels again = noise(40, 46);
    ImageView one_by_one = again.view;
    std::vector<StepScratch> fresh(count);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(apply_image_steps(std::span(steps).subspan(i, 1), image::PassOrder::ByCost,
                                    one_by_one, fresh[i])
                      .ok());
    }
    EXPECT_EQ(rgb(together), rgb(one_by_one)) << "after " << count << " steps";
  }
}

}  // namespace
}  // namespace stoker::pipeline
