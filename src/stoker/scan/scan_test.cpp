// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/pipeline/testing/memory_source.h"
#include "stoker/scan/file_check.h"

namespace stoker::scan {
namespace {

using codec::testing::encode;
using pipeline::MemorySource;
using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

// Says that text is broken, fails itself on "end", and takes everything else for 7 x 5 of one grey.
class FakeReference : public Reference {
 public:
  Result<ImageFacts> judge(codec::Bytes file, bool with_sums) override {
    const std::string text(file.begin(), file.end());
    if (text == "end") {
      return Status(ErrorCode::Internal, "gone");
    }
    if (text == "text") {
      return Status(ErrorCode::Corrupt, "no image");
    }
    ImageFacts facts{.width = 7, .height = 5, .channels = 4, .sums = {}};
    if (with_sums) {
      facts.sums = {35, {350, 350, 350}, {3500, 3500, 3500}};
    }
    return facts;
  }
  Result<ImageFacts> decode(codec::Bytes /*file*/, std::vector<uint8_t>& /*rgb*/) override {
    return Status(ErrorCode::Internal, "not asked for");
  }
};

ScanResult scan_files(const std::vector<std::vector<uint8_t>>& files, int threads = 1,
                      int64_t pixel_images = 1000) {
  return scan(MemorySource(files),
              {.threads = threads, .pixel_images = pixel_images, .make_reference = [] {
                 return std::make_unique<FakeReference>();
               }});
}

std::vector<std::vector<uint8_t>> mixed_files() {
  return {encode({.width = 40, .height = 30}),
          encode({.width = 20, .height = 10, .components = 1, .sampling = {{1, 1}}}),
          encode({.width = 64, .height = 48, .progressive = true}),
          bytes_of("text"),
          {},
          bytes_of("GIF89a"),
          encode({.width = 40, .height = 30}),
          bytes_of("end")};
}

TEST(Scan, CountsWhatIsThere) {
  const ScanResult result = scan_files(mixed_files());
  EXPECT_EQ(result.files, 8);
  EXPECT_EQ(result.native, 4);
  EXPECT_EQ(result.pillow, 1);
  EXPECT_THAT(result.pillow_reasons, ElementsAre(Pair("gif: no decoder knows these data", 1)));
  EXPECT_EQ(result.formats[static_cast<size_t>(ImageFormat::Jpeg)], 4);
  EXPECT_EQ(result.formats[static_cast<size_t>(ImageFormat::Gif)], 1);
  EXPECT_EQ(result.formats[static_cast<size_t>(ImageFormat::Unknown)], 2);
  EXPECT_EQ(result.progressive, 1);
  EXPECT_EQ(result.grey, 1);
  EXPECT_EQ(result.cmyk, 1);
  EXPECT_THAT(result.widths, ElementsAre(40, 20, 64, 7, 40));
  EXPECT_THAT(result.heights, ElementsAre(30, 10, 48, 5, 30));
  EXPECT_EQ(result.files_of_label.size(), 8U);
}

TEST(Scan, SaysWhatIsBrokenAndWhatNobodyJudged) {
  const ScanResult result = scan_files(mixed_files());
  ASSERT_EQ(result.broken.size(), 2U);
  EXPECT_EQ(result.broken[0].name, "file-3");
  EXPECT_EQ(result.broken[0].reason, "no image");
  EXPECT_EQ(result.broken[1].name, "file-4");
  EXPECT_EQ(result.broken[1].reason, "no such file");
  ASSERT_EQ(result.unjudged.size(), 1U);
  EXPECT_EQ(result.unjudged[0].sample, 7);
  EXPECT_EQ(result.unjudged[0].reason, "unknown: no decoder knows these data");
}

TEST(Scan, WithoutAReferenceNothingIsCalledBroken) {
  const ScanResult result =
      scan(MemorySource(mixed_files()), {.make_reference = [] { return nullptr; }});
  ASSERT_EQ(result.broken.size(), 1U);
  EXPECT_EQ(result.broken[0].sample, 4);  // it cannot be read
  EXPECT_EQ(result.unjudged.size(), 3U);
  EXPECT_EQ(result.pillow, 0);
}

TEST(Scan, FindsTheSameBytesTwice) {
  const auto jpeg = encode({.width = 40, .height = 30});
  const auto other = encode({.width = 40, .height = 30, .seed = 2});
  const ScanResult result = scan_files({other, jpeg, {}, jpeg, other, jpeg, {}});
  ASSERT_EQ(result.duplicates.size(), 2U);
  EXPECT_THAT(result.duplicates[0].samples, ElementsAre(0, 4));
  EXPECT_THAT(result.duplicates[1].samples, ElementsAre(1, 3, 5));
  EXPECT_EQ(result.duplicates[1].bytes, static_cast<int64_t>(jpeg.size()));
}

TEST(Scan, ThreadsDoNotMatter) {
  const ScanResult one = scan_files(mixed_files(), 1);
  const ScanResult three = scan_files(mixed_files(), 3);
  EXPECT_EQ(one.sums.values, three.sums.values);
  EXPECT_EQ(one.sums.squares, three.sums.squares);
  EXPECT_EQ(one.pillow_reasons, three.pillow_reasons);
  ASSERT_EQ(three.broken.size(), 2U);
  EXPECT_EQ(three.broken[0].sample, 3);
  ASSERT_EQ(three.duplicates.size(), 1U);
  EXPECT_THAT(three.duplicates[0].samples, ElementsAre(0, 6));
}

TEST(Scan, PixelsOfEvenlySpreadImages) {
  const std::vector<std::vector<uint8_t>> files(10, encode({.width = 20, .height = 10}));
  EXPECT_EQ(scan_files(files, 1, 0).summed_images, 0);
  EXPECT_EQ(scan_files(files, 1, 3).summed_images, 3);
  EXPECT_EQ(scan_files(files, 1, 3).sums.pixels, 600U);
  EXPECT_EQ(scan_files(files, 1, 100).summed_images, 10);
}

TEST(Scan, ProgressCountsEveryFile) {
  int64_t calls = 0;
  scan(MemorySource(mixed_files()), {.threads = 2, .make_reference = [] { return nullptr; }},
       [&](int64_t done, int64_t total) {
         EXPECT_EQ(done, ++calls);
         EXPECT_EQ(total, 8);
       });
  EXPECT_EQ(calls, 8);
}

TEST(PixelStats, MeanAndDeviationOfFourPixels) {
  uint8_t pixels[] = {0, 10, 255, 9, 0, 10, 0, 9, 255, 30, 255, 9, 255, 30, 0, 9};
  const PixelSums sums = sums_of({pixels, 2, 2, 4, 8});
  EXPECT_EQ(sums.pixels, 4U);
  EXPECT_THAT(sums.values, ElementsAre(510, 80, 510));
  EXPECT_THAT(sums.squares, ElementsAre(130050, 2000, 130050));
  const PixelStats stats = pixel_stats(sums);
  EXPECT_DOUBLE_EQ(stats.mean[0], 0.5);
  EXPECT_DOUBLE_EQ(stats.std[0], 0.5);
  EXPECT_DOUBLE_EQ(stats.mean[1], 20 / 255.0);
  EXPECT_DOUBLE_EQ(stats.std[1], 10 / 255.0);
}

}  // namespace
}  // namespace stoker::scan
