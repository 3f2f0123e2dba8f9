// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/loader_speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/core/error.h"
#include "stoker/pipeline/testing/memory_source.h"
#include "stoker/pipeline/transform_text.h"

namespace stoker::scan {
namespace {

using pipeline::MemorySource;
using pipeline::parse_transforms;

TEST(LoaderSpeed, CountsSamplesAndTheirStages) {
  const auto source = std::make_shared<MemorySource>(std::vector<std::vector<uint8_t>>{
      codec::testing::encode({.width = 64, .height = 48}), {'n', 'o'}});
  LoaderSpeed speed(source, parse_transforms("RandomResizedCrop((32, 24)), ToTensor"), 2);
  EXPECT_EQ(speed.width(), 24);
  EXPECT_EQ(speed.height(), 32);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const SpeedBlock block = speed.run_block(0.05);
    EXPECT_GT(block.samples, 0);
    // Half of all files are no images.
    EXPECT_GT(block.skipped, 0);
    EXPECT_EQ((block.samples + block.skipped) % 32, 0);
    EXPECT_EQ(block.skip_reason, "file-1: no decoder knows these data");
    EXPECT_EQ(block.indexed, 0);
    EXPECT_GE(block.seconds, 0.05);
    for (const int64_t ns : block.stage_ns) {
      EXPECT_GT(ns, 0);
    }
  }
}

TEST(LoaderSpeed, TransformsWithoutASizeAreAnError) {
  const auto source = std::make_shared<MemorySource>(std::vector<std::vector<uint8_t>>{{'n'}});
  EXPECT_THROW(LoaderSpeed(source, parse_transforms("Resize(8)"), 1), Error);
}

}  // namespace
}  // namespace stoker::scan
