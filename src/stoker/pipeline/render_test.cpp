// SPDX-License-Identifier: Apache-2.0
// The renderer against the steps it stands for: whole decode, crop, mirror, resize by plain loops
// of the whole crop, crop, mirror.
#include "stoker/pipeline/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::pipeline {
namespace {

using codec::testing::JpegSpec;

struct Pixels {
  Pixels(int32_t w, int32_t h)
      : width(w), height(h), bytes(static_cast<size_t>(w) * static_cast<size_t>(h) * 4 + 64) {}

  uint8_t* at(int32_t x, int32_t y) {
    return bytes.data() +
           (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) * 4;
  }
  ImageView view() { return {bytes.data(), width, height, 4, static_cast<size_t>(width) * 4}; }

  int32_t width, height;
  std::vector<uint8_t> bytes;
};

Pixels cut(Pixels& in, const Region& r, bool mirror_x, bool mirror_y) {
  Pixels out(r.width(), r.height());
  for (int32_t y = 0; y < out.height; ++y) {
    for (int32_t x = 0; x < out.width; ++x) {
      const uint8_t* from =
          in.at(mirror_x ? r.x1 - 1 - x : r.x0 + x, mirror_y ? r.y1 - 1 - y : r.y0 + y);
      std::copy_n(from, 4, out.at(x, y));
    }
  }
  return out;
}

Pixels whole_image(const std::vector<uint8_t>& jpeg, int32_t width, int32_t height) {
  const std::vector<uint8_t> rgb = codec::testing::decode_plainly(jpeg);
  Pixels out(width, height);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      std::copy_n(
          rgb.data() +
              (static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) * 3,
          3, out.at(x, y));
    }
  }
  return out;
}

std::vector<uint8_t> expected(const std::vector<uint8_t>& jpeg, int32_t width, int32_t height,
                              const RenderPlan& plan) {
  Pixels whole = whole_image(jpeg, width, height);
  Pixels pixels = cut(whole, plan.crop, plan.mirror_x_before, plan.mirror_y_before);
  if (plan.resized) {
    Pixels resized(plan.out_width, plan.out_height);
    image::ResampleScratch scratch;
    const Region all = {0, 0, plan.out_width, plan.out_height};
    const Status status =
        image::resize_reference(pixels.view(), plan.out_width, plan.out_height, plan.filter,
                                plan.order, all, resized.view(), scratch);
    EXPECT_TRUE(status.ok()) << status.to_string();
    pixels = resized;
  }
  pixels = cut(pixels, plan.window, plan.mirror_x_after, plan.mirror_y_after);
  std::vector<uint8_t> out;
  for (int32_t y = 0; y < pixels.height; ++y) {
    for (int32_t x = 0; x < pixels.width; ++x) {
      out.insert(out.end(), pixels.at(x, y), pixels.at(x, y) + plan.channels);
    }
  }
  return out;
}

int32_t pick(std::mt19937& random, int32_t low, int32_t high) {
  return low + static_cast<int32_t>(random() % static_cast<uint32_t>(high - low + 1));
}

Region random_region(std::mt19937& random, int32_t width, int32_t height) {
  Region r;
  r.x0 = random() % 3 == 0 ? 0 : pick(random, 0, width - 1);
  r.y0 = random() % 3 == 0 ? 0 : pick(random, 0, height - 1);
  r.x1 = random() % 3 == 0 ? width : pick(random, r.x0 + 1, width);
  r.y1 = random() % 3 == 0 ? height : pick(random, r.y0 + 1, height);
  return r;
}

RenderPlan random_plan(std::mt19937& random, int32_t width, int32_t height) {
  RenderPlan plan;
  plan.crop = random_region(random, width, height);
  plan.mirror_x_before = random() % 3 == 0;
  plan.mirror_y_before = random() % 3 == 0;
  plan.resized = random() % 4 != 0;
  plan.out_width = random() % 8 == 0 ? plan.crop.width() : pick(random, 1, 120);
  plan.out_height = random() % 8 == 0 ? plan.crop.height() : pick(random, 1, 120);
  plan.filter = static_cast<image::Filter>(random() % 6);
  plan.order = static_cast<image::PassOrder>(random() % 2);
  plan.window = plan.resized ? random_region(random, plan.out_width, plan.out_height)
                             : random_region(random, plan.crop.width(), plan.crop.height());
  plan.mirror_x_after = random() % 3 == 0;
  plan.mirror_y_after = random() % 3 == 0;
  return plan;
}

TEST(Renderer, EqualsThePlainStepsOnRandomPlans) {
  std::mt19937 random(11);
  Renderer renderer;
  for (int file = 0; file < 40; ++file) {
    JpegSpec spec;
    spec.width = pick(random, 1, 200);
    spec.height = pick(random, 1, 200);
    spec.components = file % 5 == 0 ? 1 : 3;
    spec.sampling[0] = {1 + file % 2, 1 + file / 2 % 2};
    spec.progressive = file % 7 == 0;
    spec.seed = static_cast<uint32_t>(random());
    const std::vector<uint8_t> jpeg = codec::testing::encode(spec);
    for (int i = 0; i < 25; ++i) {
      RenderPlan plan = random_plan(random, spec.width, spec.height);
      plan.channels = spec.components == 1 && i % 2 == 0 ? 1 : 3;
      std::vector<uint8_t> got(static_cast<size_t>(plan.window.width()) *
                               static_cast<size_t>(plan.window.height()) *
                               static_cast<size_t>(plan.channels));
      RenderTimes times;
      const Status status = renderer.render(jpeg, plan, got.data(), times);
      ASSERT_TRUE(status.ok()) << status.to_string();
      ASSERT_EQ(got, expected(jpeg, spec.width, spec.height, plan))
          << "file " << file << " plan " << i;
      EXPECT_GT(times.decode_ns, 0);
      EXPECT_GT(times.transform_ns, 0);
    }
  }
}

TEST(Renderer, DecodedPixelsGiveTheSameAsTheFile) {
  std::mt19937 random(12);
  Renderer renderer;
  for (int file = 0; file < 10; ++file) {
    JpegSpec spec;
    spec.width = pick(random, 1, 100);
    spec.height = pick(random, 1, 100);
    spec.components = file % 3 == 0 ? 1 : 3;
    spec.seed = static_cast<uint32_t>(random());
    const std::vector<uint8_t> jpeg = codec::testing::encode(spec);
    RenderTimes times;
    const Region all = {0, 0, spec.width, spec.height};
    RenderPlan whole_plan;
    whole_plan.crop = all;
    whole_plan.window = all;
    whole_plan.channels = spec.components;
    const auto size = [](const RenderPlan& plan) {
      return static_cast<size_t>(plan.window.width()) * static_cast<size_t>(plan.window.height()) *
             static_cast<size_t>(plan.channels);
    };
    std::vector<uint8_t> whole(size(whole_plan));
    ASSERT_TRUE(renderer.render(jpeg, whole_plan, whole.data(), times).ok());
    const ImageView view = {whole.data(), spec.width, spec.height, spec.components,
                            static_cast<size_t>(spec.width * spec.components)};
    for (int i = 0; i < 20; ++i) {
      RenderPlan plan = random_plan(random, spec.width, spec.height);
      plan.channels = spec.components == 1 && i % 2 == 0 ? 1 : 3;
      std::vector<uint8_t> from_file(size(plan));
      std::vector<uint8_t> from_pixels(size(plan));
      ASSERT_TRUE(renderer.render(jpeg, plan, from_file.data(), times).ok());
      const Status status = renderer.render_pixels(view, plan, from_pixels.data(), times);
      ASSERT_TRUE(status.ok()) << status.to_string();
      ASSERT_EQ(from_pixels, from_file) << "file " << file << " plan " << i;
    }
    RenderPlan outside = whole_plan;
    outside.crop.x1 += 1;
    EXPECT_EQ(renderer.render_pixels(view, outside, whole.data(), times).code(),
              ErrorCode::InvalidArgument);
  }
}

ErrorCode code_of(const std::vector<uint8_t>& data, const RenderPlan& plan) {
  Renderer renderer;
  std::vector<uint8_t> out(size_t{64} * 64 * 3);
  RenderTimes times;
  return renderer.render(data, plan, out.data(), times).code();
}

TEST(Renderer, RefusesWhatItCannotRenderExactly) {
  JpegSpec spec;
  RenderPlan plan;
  plan.crop = {0, 0, 64, 64};
  plan.window = {0, 0, 64, 64};
  const std::vector<uint8_t> jpeg = codec::testing::encode(spec);
  EXPECT_EQ(code_of(jpeg, plan), ErrorCode::Ok);
  EXPECT_EQ(code_of({}, plan), ErrorCode::Unsupported);
  EXPECT_EQ(code_of({0x89, 'P', 'N', 'G'}, plan), ErrorCode::Unsupported);

  RenderPlan wrong = plan;
  wrong.crop = {0, 0, 65, 64};
  EXPECT_EQ(code_of(jpeg, wrong), ErrorCode::InvalidArgument);
  wrong = plan;
  wrong.crop = {5, 5, 5, 9};
  EXPECT_EQ(code_of(jpeg, wrong), ErrorCode::InvalidArgument);
  wrong = plan;
  wrong.window = {0, 0, 64, 65};
  EXPECT_EQ(code_of(jpeg, wrong), ErrorCode::InvalidArgument);
  wrong = plan;
  wrong.resized = true;
  EXPECT_EQ(code_of(jpeg, wrong), ErrorCode::InvalidArgument);
  wrong = plan;
  wrong.channels = 4;
  EXPECT_EQ(code_of(jpeg, wrong), ErrorCode::InvalidArgument);
  wrong = plan;
  wrong.channels = 1;
  EXPECT_EQ(code_of(jpeg, wrong), ErrorCode::Unsupported) << "grey of a colour file";

  spec.components = 4;
  spec.sampling = {};
  EXPECT_EQ(code_of(codec::testing::encode(spec), plan), ErrorCode::Unsupported) << "CMYK";
  const std::vector<uint8_t> cut_off(jpeg.begin(),
                                     jpeg.begin() + static_cast<std::ptrdiff_t>(jpeg.size() / 2));
  EXPECT_EQ(code_of(cut_off, plan), ErrorCode::Truncated);
}

}  // namespace
}  // namespace stoker::pipeline
