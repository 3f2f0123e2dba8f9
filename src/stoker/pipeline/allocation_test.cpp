// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "stoker/codec/testing/allocation_counter.h"
#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/pipeline/loader.h"
#include "stoker/pipeline/render.h"
#include "stoker/pipeline/testing/memory_source.h"

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

// Batches cost a few allocations each, samples none: ten times as many rows change nothing.
TEST(Loader, AllocatesNothingPerSampleOnceWarm) {
  if (!codec::testing::allocations_are_counted()) {
    GTEST_SKIP() << "the sanitizer's allocator cannot be replaced";
  }
  std::vector<std::vector<uint8_t>> files;
  files.reserve(60);
  for (uint32_t seed = 0; seed < 60; ++seed) {
    files.push_back(codec::testing::encode({.width = 120, .height = 90, .seed = seed}));
  }
  const auto source = std::make_shared<MemorySource>(files);
  const std::vector<TransformSpec> chain = {
      {"RandomResizedCrop", {{"size", "32"}}}, {"RandomHorizontalFlip", {}}, {"ToTensor", {}}};
  const auto allocations_of_a_batch = [&](int64_t rows) {
    Loader loader(source, chain, {.epoch = {.batch_size = rows, .shuffle = false}, .threads = 1});
    std::vector<float> images(static_cast<size_t>(rows) * 3 * 32 * 32);
    std::vector<int64_t> numbers(static_cast<size_t>(rows) * 2);
    int64_t before = 0;
    for (uint32_t epoch = 0; epoch < 4; ++epoch) {
      loader.begin_epoch(epoch, 0);
      before = codec::testing::allocation_count;
      loader.lend(images.data(), numbers.data(), numbers.data() + rows);
      EXPECT_TRUE(loader.next(60'000).has_value());
    }
    return codec::testing::allocation_count - before;
  };
  const int64_t few = allocations_of_a_batch(6);
  EXPECT_LE(few, 10);
  EXPECT_LE(allocations_of_a_batch(60), few);
}

}  // namespace
}  // namespace stoker::pipeline
