// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/testing/allocation_counter.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

using Files = std::vector<std::vector<uint8_t>>;

Files make_files() {
  Files files;
  for (const int size : {300, 17, 120, 64, 299, 1}) {
    testing::JpegSpec spec;
    spec.width = size;
    spec.height = size + 3;
    spec.restart_interval = size % 2 == 0 ? 5 : 0;
    files.push_back(testing::encode(spec));
    spec.components = 1;
    files.push_back(testing::encode(spec));
  }
  return files;
}

// How many of the files decode. `pixels` has room for the largest.
int decode_all(DecoderState& state, const Files& files, std::vector<uint8_t>& pixels) {
  int decoded = 0;
  for (const std::vector<uint8_t>& file : files) {
    const Result<ImageInfo> info = state.read_info(file);
    if (!info.ok()) {
      continue;
    }
    const Region r = {info->width / 3, info->height / 3, info->width, info->height};
    const ImageView out{pixels.data(), r.width(), r.height(), 4,
                        static_cast<size_t>(r.width()) * 4};
    decoded += state.decode(file, {r, PixelFormat::Rgbx}, out).ok() ? 1 : 0;
  }
  return decoded;
}

TEST(JpegDecoder, AllocatesNothingPerImageOnceWarm) {
  if (!testing::allocations_are_counted()) {
    GTEST_SKIP() << "the sanitizer's allocator cannot be replaced";
  }
  const Files files = make_files();
  const auto state = all_decoders().at(0).make_state();
  std::vector<uint8_t> pixels(size_t{300} * 303 * 4);
  const int64_t cold = testing::allocation_count;
  EXPECT_EQ(decode_all(*state, files, pixels), 12);
  EXPECT_GT(testing::allocation_count, cold) << "the counter counts";
  EXPECT_EQ(decode_all(*state, files, pixels), 12);
  const int64_t before = testing::allocation_count;
  int decoded = 0;
  for (int round = 0; round < 5; ++round) {
    decoded += decode_all(*state, files, pixels);
  }
  EXPECT_EQ(testing::allocation_count, before);
  EXPECT_EQ(decoded, 60);
}

}  // namespace
}  // namespace stoker::codec
