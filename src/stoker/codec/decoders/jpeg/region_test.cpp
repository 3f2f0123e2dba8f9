// SPDX-License-Identifier: Apache-2.0
// The region decoder against a plain decode of the whole file by libjpeg, byte for byte.
#include <gtest/gtest.h>

#include <random>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

using testing::JpegSpec;

struct Sampling {
  const char* name;
  int components;
  std::vector<std::pair<int, int>> factors;
};

const std::vector<Sampling>& samplings() {
  static const std::vector<Sampling> all = {
      {"grey", 1, {{1, 1}}},
      {"grey 2x2", 1, {{2, 2}}},
      {"4:4:4", 3, {{1, 1}, {1, 1}, {1, 1}}},
      {"4:2:2", 3, {{2, 1}, {1, 1}, {1, 1}}},
      {"4:2:0", 3, {{2, 2}, {1, 1}, {1, 1}}},
      {"4:4:0", 3, {{1, 2}, {1, 1}, {1, 1}}},
      {"4:1:1", 3, {{4, 1}, {1, 1}, {1, 1}}},
      {"4:1:0", 3, {{4, 2}, {1, 1}, {1, 1}}},
      {"1x4", 3, {{1, 4}, {1, 1}, {1, 1}}},
      {"3x1", 3, {{3, 1}, {1, 1}, {1, 1}}},
      {"1x3", 3, {{1, 3}, {1, 1}, {1, 1}}},
      {"2x2 1x2 1x2", 3, {{2, 2}, {1, 2}, {1, 2}}},
      {"2x2 2x1 2x1", 3, {{2, 2}, {2, 1}, {2, 1}}},
      {"4x1 2x1 2x1", 3, {{4, 1}, {2, 1}, {2, 1}}},
      {"2x2 2x1 1x2", 3, {{2, 2}, {2, 1}, {1, 2}}},
      {"1x2 1x1 1x2", 3, {{1, 2}, {1, 1}, {1, 2}}},
      {"1x4 1x2 1x2", 3, {{1, 4}, {1, 2}, {1, 2}}},
      {"1x1 2x2 1x1", 3, {{1, 1}, {2, 2}, {1, 1}}},
      {"2x2 1x1 2x2", 3, {{2, 2}, {1, 1}, {2, 2}}},
  };
  return all;
}

int pick(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
}

// Half of the regions touch a border.
Region random_region(std::mt19937& random, int width, int height) {
  Region r;
  r.x0 = random() % 4 == 0 ? 0 : pick(random, 0, width - 1);
  r.y0 = random() % 4 == 0 ? 0 : pick(random, 0, height - 1);
  r.x1 = random() % 4 == 0 ? width : pick(random, r.x0 + 1, width);
  r.y1 = random() % 4 == 0 ? height : pick(random, r.y0 + 1, height);
  return r;
}

class RegionChecker {
 public:
  RegionChecker() : state_(all_decoders().at(0).make_state()) {}

  // Bytes that differ from the crop of the whole; -1 after an error.
  int differing_bytes(const std::vector<uint8_t>& jpeg, const std::vector<uint8_t>& whole,
                      int width, const Region& r) {
    const auto channels = static_cast<size_t>(4);
    std::vector<uint8_t> pixels(channels * static_cast<size_t>(r.width() * r.height()));
    const ImageView view{pixels.data(), r.width(), r.height(), 4,
                         channels * static_cast<size_t>(r.width())};
    const Status status = state_->decode(jpeg, {r, PixelFormat::Rgbx}, view);
    if (!status.ok()) {
      ADD_FAILURE() << status.to_string();
      return -1;
    }
    int differing = 0;
    for (int y = 0; y < r.height(); ++y) {
      for (int x = 0; x < r.width(); ++x) {
        const uint8_t* got = view.row(y) + static_cast<size_t>(x) * channels;
        const uint8_t* want =
            whole.data() + (static_cast<size_t>(r.y0 + y) * static_cast<size_t>(width) +
                            static_cast<size_t>(r.x0 + x)) *
                               3;
        for (int c = 0; c < 3; ++c) {
          differing += got[c] != want[c] ? 1 : 0;
        }
      }
    }
    return differing;
  }

  ImageInfo info(const std::vector<uint8_t>& jpeg) {
    const Result<ImageInfo> result = state_->read_info(jpeg);
    EXPECT_TRUE(result.ok()) << result.status().to_string();
    return result.ok() ? *result : ImageInfo{};
  }

 private:
  std::unique_ptr<DecoderState> state_;
};

void expect_info(const ImageInfo& info, const JpegSpec& spec, bool clean) {
  EXPECT_EQ(info.clean, clean);
  EXPECT_EQ(info.width, spec.width);
  EXPECT_EQ(info.height, spec.height);
  EXPECT_EQ(info.channels, spec.components);
  EXPECT_EQ(info.progressive, spec.progressive);
}

void check(RegionChecker& checker, const JpegSpec& spec, const char* name, int regions,
           bool clean) {
  const std::vector<uint8_t> jpeg = testing::encode(spec);
  const std::vector<uint8_t> whole = testing::decode_plainly(jpeg);
  ASSERT_FALSE(whole.empty());
  SCOPED_TRACE(name);
  expect_info(checker.info(jpeg), spec, clean);
  std::mt19937 random(spec.seed);
  for (int i = 0; i < regions; ++i) {
    const Region r = i == 0 ? Region{0, 0, spec.width, spec.height}
                            : random_region(random, spec.width, spec.height);
    EXPECT_EQ(checker.differing_bytes(jpeg, whole, spec.width, r), 0)
        << spec.width << 'x' << spec.height << " region " << r.x0 << ' ' << r.y0 << ' ' << r.x1
        << ' ' << r.y1 << " restart " << spec.restart_interval;
  }
}

TEST(JpegRegion, EverySamplingAndSmallSize) {
  RegionChecker checker;
  std::mt19937 random(7);
  for (const Sampling& sampling : samplings()) {
    for (int size = 1; size <= 67; ++size) {
      JpegSpec spec;
      spec.width = size;
      spec.height = pick(random, 1, 67);
      spec.components = sampling.components;
      spec.sampling = sampling.factors;
      spec.restart_interval = size % 5 == 0 ? pick(random, 1, 7) : 0;
      spec.optimize = size % 3 == 0;
      spec.seed = static_cast<uint32_t>(random());
      check(checker, spec, sampling.name, 12, true);
    }
  }
}

TEST(JpegRegion, EverySamplingAtLargerSizes) {
  RegionChecker checker;
  std::mt19937 random(8);
  for (const Sampling& sampling : samplings()) {
    for (int i = 0; i < 6; ++i) {
      JpegSpec spec;
      spec.width = pick(random, 68, 400);
      spec.height = pick(random, 68, 400);
      spec.components = sampling.components;
      spec.sampling = sampling.factors;
      spec.quality = pick(random, 30, 98);
      spec.rgb = sampling.components == 3 && i == 0;
      spec.seed = static_cast<uint32_t>(random());
      check(checker, spec, sampling.name, 40, true);
    }
  }
}

// Files that the region path must not take: their regions are cut out of a whole decode.
TEST(JpegRegion, ProgressiveArithmeticAndSeveralScans) {
  RegionChecker checker;
  std::mt19937 random(9);
  for (const Sampling& sampling : samplings()) {
    for (int kind = 0; kind < 3; ++kind) {
      JpegSpec spec;
      spec.width = pick(random, 1, 120);
      spec.height = pick(random, 1, 120);
      spec.components = sampling.components;
      spec.sampling = sampling.factors;
      spec.progressive = kind == 0;
      spec.arithmetic = kind == 1;
      spec.several_scans = kind == 2 && sampling.components == 3;
      spec.seed = static_cast<uint32_t>(random());
      const bool clean = kind == 2 && sampling.components == 1;
      check(checker, spec, sampling.name, 8, clean);
    }
  }
}

}  // namespace
}  // namespace stoker::codec
