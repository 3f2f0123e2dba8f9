// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "stoker/codec/testing/allocation_counter.h"
#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/pipeline/render.h"

namespace stoker::pipeline {
namespace {

TEST(Renderer, AllocatesNothingPerImageOnceWarm) {
  if (!codec::testing::allocations_are_counted()) {
    GTEST_SKIP() << "the sanitizer's allocator cannot be replaced";
  }
  codec::testing::JpegSpec spec;
  spec.width = 300;
  spec.height = 200;
  const std::vector<uint8_t> jpeg = codec::testing::encode(spec);
  RenderPlan plan;
  plan.resized = true;
  plan.out_width = 100;
  plan.out_height = 100;
  plan.window = {0, 0, 100, 100};
  plan.mirror_x_after = true;
  std::vector<uint8_t> out(size_t{100} * 100 * 3);
  Renderer renderer;
  RenderTimes times;
  int rendered = 0;
  int64_t before = 0;
  for (int round = 0; round < 3; ++round) {
    before = codec::testing::allocation_count;
    for (int i = 0; i < 20; ++i) {
      plan.crop = {i, i / 2, 300 - 3 * i, 200 - 5 * i};
      plan.filter = static_cast<image::Filter>(i % 6);
      rendered += renderer.render(jpeg, plan, out.data(), times).ok() ? 1 : 0;
    }
  }
  EXPECT_EQ(codec::testing::allocation_count, before) << "in the last round";
  EXPECT_EQ(rendered, 60);
}

}  // namespace
}  // namespace stoker::pipeline
