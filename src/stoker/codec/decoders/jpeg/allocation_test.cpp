// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/jpeg_index.h"
#include "stoker/codec/testing/allocation_counter.h"
#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/codec/testing/png_bytes.h"

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

// Of each file; empty for one that cannot have any.
Files make_indices(const Files& files) {
  Files indices(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    const Status status = make_jpeg_index(files[i], 1, indices[i]);
    EXPECT_EQ(status.ok(), !indices[i].empty());
  }
  return indices;
}

// How many of the files decode. `pixels` has room for the largest.
int decode_all(DecoderState& state, const Files& files, const Files& indices,
               std::vector<uint8_t>& pixels) {
  int decoded = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::vector<uint8_t>& file = files[i];
    const Bytes index = indices[i];
    const Result<ImageInfo> info = state.read_info_indexed(file, index);
    if (!info.ok()) {
      continue;
    }
    const Region r = {info->width / 3, info->height / 3, info->width, info->height};
    const ImageView out{pixels.data(), r.width(), r.height(), 4,
                        static_cast<size_t>(r.width()) * 4};
    decoded += state.decode(file, {r, PixelFormat::Rgbx, index}, out).ok() ? 1 : 0;
  }
  return decoded;
}

void expect_no_allocation(const Files& files, const Files& indices) {
  if (!testing::allocations_are_counted()) {
    GTEST_SKIP() << "the sanitizer's allocator cannot be replaced";
  }
  const auto state = all_decoders().at(0).make_state();
  std::vector<uint8_t> pixels(size_t{300} * 303 * 4);
  const int64_t cold = testing::allocation_count;
  EXPECT_EQ(decode_all(*state, files, indices, pixels), 12);
  EXPECT_GT(testing::allocation_count, cold) << "the counter counts";
  EXPECT_EQ(decode_all(*state, files, indices, pixels), 12);
  const int64_t before = testing::allocation_count;
  int decoded = 0;
  for (int round = 0; round < 5; ++round) {
    decoded += decode_all(*state, files, indices, pixels);
  }
  EXPECT_EQ(testing::allocation_count, before);
  EXPECT_EQ(decoded, 60);
}

TEST(JpegDecoder, AllocatesNothingPerImageOnceWarm) {
  const Files files = make_files();
  expect_no_allocation(files, Files(files.size()));
}

TEST(JpegDecoder, AllocatesNothingPerIndexedImageOnceWarm) {
  const Files files = make_files();
  const Files indices = make_indices(files);
  EXPECT_EQ(std::count(indices.begin(), indices.end(), std::vector<uint8_t>()), 6)
      << "those with restart markers";
  expect_no_allocation(files, indices);
}

TEST(PngDecoder, AllocatesNothingPerImageOnceWarm) {
  if (!testing::allocations_are_counted()) {
    GTEST_SKIP() << "the sanitizer's allocator cannot be replaced";
  }
  const auto state = decoder_png().make_state();
  const std::vector<uint8_t> rows(size_t{31} * 40);
  const Files files = {testing::png_of({10, 40}, rows), testing::png_of({5, 40, 16, 2}, rows),
                       testing::png_of({30, 40, 8, 0}, rows)};
  const Files indices(files.size());
  std::vector<uint8_t> pixels(size_t{30} * 40 * 4);
  EXPECT_EQ(decode_all(*state, files, indices, pixels), 3);
  const int64_t before = testing::allocation_count;
  EXPECT_EQ(decode_all(*state, files, indices, pixels), 3);
  EXPECT_EQ(testing::allocation_count, before);
}

}  // namespace
}  // namespace stoker::codec
