// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stoker/codec/decoders/jpeg/scan.h"
#include "stoker/codec/jpeg_index.h"
#include "stoker/codec/jpeg_transcode.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

using testing::JpegSpec;
using Data = std::vector<uint8_t>;

int pick(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
}

Data baseline_of(const Data& jpeg) {
  Data out;
  const Status status = to_baseline(jpeg, out);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return out;
}

ErrorCode refusal_of(const Data& jpeg) {
  Data out = {1};
  const ErrorCode code = to_baseline(jpeg, out).code();
  EXPECT_EQ(out.empty(), code != ErrorCode::Ok);
  return code;
}

using Segment = std::pair<uint8_t, Data>;

// The APPn and COM segments in front of the first scan, in their order.
std::vector<Segment> metadata_of(const Data& jpeg) {
  std::vector<Segment> found;
  size_t at = 2;
  while (jpeg.at(at + 1) != 0xDA) {
    const uint8_t marker = jpeg.at(at + 1);
    const size_t next = at + 2 + (size_t{jpeg.at(at + 2)} << 8) + jpeg.at(at + 3);
    if ((marker >= 0xE0 && marker <= 0xEF) || marker == 0xFE) {
      found.emplace_back(marker, Data(jpeg.begin() + static_cast<std::ptrdiff_t>(at + 4),
                                      jpeg.begin() + static_cast<std::ptrdiff_t>(next)));
    }
    at = next;
  }
  return found;
}

Data with_metadata(Data jpeg, const std::vector<Segment>& segments) {
  Data bytes;
  for (const auto& [marker, body] : segments) {
    const size_t length = body.size() + 2;
    bytes.insert(bytes.end(), {0xFF, marker, static_cast<uint8_t>(length >> 8),
                               static_cast<uint8_t>(length & 255)});
    bytes.insert(bytes.end(), body.begin(), body.end());
  }
  jpeg.insert(jpeg.begin() + 2, bytes.begin(), bytes.end());
  return jpeg;
}

// Scan headers of a file, by where their markers are.
std::vector<size_t> scans_of(const Data& jpeg) {
  std::vector<size_t> scans;
  for (size_t i = 0; i + 1 < jpeg.size(); ++i) {
    if (jpeg[i] == 0xFF && jpeg[i + 1] == 0xDA) {
      scans.push_back(i);
    }
  }
  return scans;
}

TEST(JpegTranscode, PixelsStay) {
  std::mt19937 random(21);
  const std::vector<std::vector<std::pair<int, int>>> samplings = {{{1, 1}},
                                                                   {{1, 1}, {1, 1}, {1, 1}},
                                                                   {{2, 1}, {1, 1}, {1, 1}},
                                                                   {{2, 2}, {1, 1}, {1, 1}},
                                                                   {{1, 2}, {1, 1}, {1, 1}},
                                                                   {{4, 1}, {1, 1}, {1, 1}},
                                                                   {{2, 2}, {2, 1}, {1, 2}}};
  for (const auto& sampling : samplings) {
    for (int kind = 0; kind < 64; ++kind) {
      JpegSpec spec;
      spec.components = static_cast<int>(sampling.size());
      spec.sampling = sampling;
      spec.width = pick(random, 1, 150);
      spec.height = pick(random, 1, 150);
      spec.quality = pick(random, 10, 100);
      spec.progressive = kind % 4 == 0 || kind % 4 == 1;
      spec.arithmetic = kind % 4 == 1 || kind % 4 == 2;
      spec.several_scans = kind % 4 == 3;
      spec.restart_interval = kind % 5 == 0 ? pick(random, 1, 9) : 0;
      spec.rgb = spec.components == 3 && kind % 7 == 0;
      spec.seed = static_cast<uint32_t>(random());
      const Data jpeg = testing::encode(spec);
      const Data baseline = baseline_of(jpeg);
      ASSERT_TRUE(jpeg::is_clean(baseline));
      ASSERT_EQ(testing::decode_plainly(baseline), testing::decode_plainly(jpeg))
          << "kind " << kind << ", " << spec.width << 'x' << spec.height;
      ASSERT_EQ(metadata_of(baseline), metadata_of(jpeg));
    }
  }
}

TEST(JpegTranscode, ResultCanBeIndexed) {
  JpegSpec spec;
  spec.progressive = true;
  Data index;
  EXPECT_FALSE(make_jpeg_index(testing::encode(spec), 4, index).ok());
  EXPECT_TRUE(make_jpeg_index(baseline_of(testing::encode(spec)), 4, index).ok());
}

TEST(JpegTranscode, MetadataIsKeptInOrder) {
  const std::vector<Segment> segments = {{0xE1, Data(65533, 7)},
                                         {0xFE, {'h', 'i'}},
                                         {0xE2, {'I', 'C', 'C', 0xFF, 0xD9}},
                                         {0xFE, {}},
                                         {0xE1, {'E', 'x', 'i', 'f', 0, 0}}};
  JpegSpec spec;
  spec.progressive = true;
  const Data jpeg = with_metadata(testing::encode(spec), segments);
  const std::vector<Segment> kept = metadata_of(baseline_of(jpeg));
  ASSERT_EQ(kept.size(), 6U) << "with JFIF";
  EXPECT_TRUE(std::equal(segments.begin(), segments.end(), kept.begin()));
  EXPECT_EQ(kept.back().first, 0xE0);
}

TEST(JpegTranscode, CmykIsTakenWithItsAdobeSegment) {
  JpegSpec spec;
  spec.components = 4;
  spec.sampling = {};
  spec.progressive = true;
  const Data baseline = baseline_of(testing::encode(spec));
  EXPECT_EQ(metadata_of(baseline), metadata_of(testing::encode(spec)));
  EXPECT_FALSE(metadata_of(baseline).empty()) << "the Adobe segment";
}

// A file whose last scans are left out has its end marker and no warning, but libjpeg smooths it.
TEST(JpegTranscode, ProgressiveWithoutItsLastScans) {
  JpegSpec spec;
  spec.progressive = true;
  spec.quality = 40;
  const Data jpeg = testing::encode(spec);
  const std::vector<size_t> scans = scans_of(jpeg);
  ASSERT_GT(scans.size(), 5U);
  for (size_t i = 1; i < scans.size(); ++i) {
    size_t end = scans[i];  // tables may stand in front of the scan
    while (end > scans[i - 1] + 20 && !(jpeg[end] == 0xFF && jpeg[end + 1] == 0xC4)) {
      --end;
    }
    end = end > scans[i - 1] + 20 ? end : scans[i];
    Data fewer = jpeg;
    fewer.resize(end);
    fewer.insert(fewer.end(), {0xFF, 0xD9});
    ASSERT_FALSE(testing::decode_plainly(fewer).empty()) << "libjpeg does not warn";
    EXPECT_EQ(refusal_of(fewer), ErrorCode::Unsupported) << i << " scans";
  }
}

TEST(JpegTranscode, DamagedFilesAreRefused) {
  JpegSpec spec;
  spec.progressive = true;
  const Data jpeg = testing::encode(spec);
  for (size_t size = 0; size < jpeg.size(); size += 31) {
    Data cut = jpeg;
    cut.resize(size);
    EXPECT_NE(refusal_of(cut), ErrorCode::Ok) << size;
  }
  Data wrong = jpeg;
  wrong.insert(wrong.end() - 2, {1, 2, 3});
  EXPECT_EQ(refusal_of(wrong), ErrorCode::Corrupt);
}

// Whatever bits are wrong: what is taken keeps its pixels.
TEST(JpegTranscode, WrongBits) {
  std::mt19937 random(22);
  int taken = 0;
  for (int i = 0; i < 600; ++i) {
    JpegSpec spec;
    spec.progressive = i % 3 != 0;
    spec.arithmetic = i % 3 == 1;
    spec.several_scans = i % 3 == 0;
    Data jpeg = testing::encode(spec);
    jpeg[150 + random() % (jpeg.size() - 150)] ^= static_cast<uint8_t>(1U << random() % 8);
    Data out;
    if (to_baseline(jpeg, out).ok()) {
      ++taken;
      ASSERT_EQ(testing::decode_plainly(out), testing::decode_plainly(jpeg)) << "file " << i;
    }
  }
  EXPECT_GT(taken, 20);
}

TEST(JpegTranscode, TooManyPixels) {
  JpegSpec spec;
  spec.progressive = true;
  Data jpeg = testing::encode(spec);
  const std::vector<uint8_t> frame = {0xFF, 0xC2, 0, 17, 8};
  const auto at = std::search(jpeg.begin(), jpeg.end(), frame.begin(), frame.end());
  ASSERT_NE(at, jpeg.end());
  std::fill_n(at + 5, 4, uint8_t{0xF0});  // 61,680 x 61,680
  EXPECT_EQ(refusal_of(jpeg), ErrorCode::TooLarge);
}

}  // namespace
}  // namespace stoker::codec
