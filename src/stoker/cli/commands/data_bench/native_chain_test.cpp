// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_bench/native_chain.h"

#include <gtest/gtest.h>

#include "stoker/core/error.h"
#include "stoker/core/test_tree.h"
#include "stoker/synth/dataset.h"

namespace stoker::cli {
namespace {

TEST(RandomResizedCrop, StaysInsideWithScaleAndRatioOfTheTransform) {
  Philox draws(1, 0);
  double area = 0;
  int mirrored = 0;
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const pipeline::RenderPlan plan = random_resized_crop(500, 375, 224, draws);
    ASSERT_GE(plan.crop.x0, 0);
    ASSERT_GE(plan.crop.y0, 0);
    ASSERT_LE(plan.crop.x1, 500);
    ASSERT_LE(plan.crop.y1, 375);
    const double w = plan.crop.width();
    const double h = plan.crop.height();
    ASSERT_GT(w / h, 0.75 * 0.98);
    ASSERT_LT(w / h, 1.02 / 0.75);
    ASSERT_GT(w * h / (500 * 375), 0.08 * 0.98);
    area += w * h / (500 * 375);
    mirrored += plan.mirror_x_after ? 1 : 0;
    EXPECT_EQ(plan.window, (Region{0, 0, 224, 224}));
  }
  // torchvision 0.29, 500 x 375: RandomResizedCrop.get_params gives 0.4342 over 40,000 draws.
  EXPECT_NEAR(area / kCount, 0.4342, 0.015);
  EXPECT_NEAR(mirrored, kCount / 2.0, 4 * 32);
}

TEST(RandomResizedCrop, CentreOfAnImageThatNoCropFits) {
  Philox draws(1, 0);
  // torchvision 0.29 gives top 4993, left 0, height 13, width 10.
  const pipeline::RenderPlan plan = random_resized_crop(10, 10000, 8, draws);
  EXPECT_EQ(plan.crop, (Region{0, 4993, 10, 5006}));
}

TEST(NativeBench, CountsSamplesAndTheirStages) {
  const TestTree tree;
  synth::make_dataset(
      {.folder = tree.root() + "/set", .images = 2, .classes = 1, .width = 64, .height = 48});
  const std::string good = tree.root() + "/set/c000/00000.jpg";
  const std::string bad = tree.write("bad.jpg", "no image");
  NativeBench bench({good, bad}, 32, 2, 0);
  const NativeBlock block = bench.run_block(0.05);
  EXPECT_GT(block.samples, 0);
  EXPECT_GT(block.skipped, 0);
  EXPECT_GE(block.seconds, 0.05);
  for (const int64_t time : block.times) {
    EXPECT_GT(time, 0);
  }
}

TEST(NativeBench, NoUsableFileIsAnError) {
  const TestTree tree;
  NativeBench bench({tree.write("bad.jpg", "no image")}, 32, 1, 0);
  EXPECT_THROW(bench.run_block(0.01), Error);
}

}  // namespace
}  // namespace stoker::cli
