// SPDX-License-Identifier: Apache-2.0
// Regions decoded by way of an index against a plain decode of the whole file, byte for byte.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string_view>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/session.h"
#include "stoker/codec/decoders/jpeg/small_jpeg.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/jpeg_index.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

using testing::JpegSpec;
using Data = std::vector<uint8_t>;
using Factors = std::vector<std::pair<int, int>>;

// Every sampling of three components with factors 1 and 2 and at most 10 blocks in an MCU.
std::vector<Factors> samplings() {
  const Factors choices = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};
  std::vector<Factors> all = {{{1, 1}}, {{2, 2}}};
  for (const auto& a : choices) {
    for (const auto& b : choices) {
      for (const auto& c : choices) {
        if (a.first * a.second + b.first * b.second + c.first * c.second <= 10) {
          all.push_back({a, b, c});
        }
      }
    }
  }
  return all;
}

int pick(std::mt19937& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
}

// Borders are met often, and so are single pixels.
std::pair<int, int> random_span(std::mt19937& random, int length) {
  if (random() % 8 == 0) {
    const int at = random() % 2 == 0 ? length - 1 : pick(random, 0, length - 1);
    return {at, at + 1};
  }
  const int begin = random() % 4 == 0 ? 0 : pick(random, 0, length - 1);
  return {begin, random() % 4 == 0 ? length : pick(random, begin + 1, length)};
}

Region random_region(std::mt19937& random, int width, int height) {
  const auto [x0, x1] = random_span(random, width);
  const auto [y0, y1] = random_span(random, height);
  return {x0, y0, x1, y1};
}

Data index_of(const Data& jpeg, int32_t columns) {
  Data entry;
  const Status status = make_jpeg_index(jpeg, columns, entry);
  EXPECT_TRUE(status.ok()) << status.to_string();
  return entry;
}

class IndexedDecoder {
 public:
  IndexedDecoder() : state_(all_decoders().at(0).make_state()) {}

  // Bytes that differ from the crop of the whole; -1 after an error.
  int differing_bytes(const Data& jpeg, const Data& index, const Data& whole, int width,
                      const Region& r) {
    const ImageView view = view_of(r);
    const Status status = state_->decode(jpeg, {r, PixelFormat::Rgb, index}, view);
    if (!status.ok()) {
      ADD_FAILURE() << status.to_string();
      return -1;
    }
    return differing_from(whole, width, r, view);
  }

  // Is the index used for the region, and does libjpeg take the small JPEG without a warning?
  // The decoder itself would fall back without a word.
  bool uses_index(const Data& jpeg, const Data& index, const Region& r) {
    if (!small_.open(jpeg, index) || !small_.build(r)) {
      return false;
    }
    EXPECT_TRUE(session_.read_header(small_.file()).ok());
    const Status status = session_.decode({small_.region(), PixelFormat::Rgb}, true, view_of(r));
    EXPECT_TRUE(status.ok()) << status.to_string();
    return true;
  }

 private:
  ImageView view_of(const Region& r) {
    pixels_.assign(size_t{3} * static_cast<size_t>(r.width() * r.height()), 77);
    return {pixels_.data(), r.width(), r.height(), 3, size_t{3} * static_cast<size_t>(r.width())};
  }

  static int differing_from(const Data& whole, int width, const Region& r, const ImageView& view) {
    const size_t row = view.stride_bytes;
    int differing = 0;
    for (int y = 0; y < r.height(); ++y) {
      const uint8_t* want =
          whole.data() +
          (static_cast<size_t>(r.y0 + y) * static_cast<size_t>(width) + static_cast<size_t>(r.x0)) *
              3;
      for (size_t i = 0; i < row; ++i) {
        differing += view.row(y)[i] != want[i] ? 1 : 0;
      }
    }
    return differing;
  }

  std::unique_ptr<DecoderState> state_;
  jpeg::SmallJpeg small_;
  jpeg::Session session_;
  Data pixels_;
};

struct Counts {
  int regions = 0;
  int small = 0;  // decoded from a small JPEG
};

void check(IndexedDecoder& decoder, const JpegSpec& spec, int32_t columns, int regions,
           Counts& counts) {
  const Data jpeg = testing::encode(spec);
  const Data whole = testing::decode_plainly(jpeg);
  ASSERT_FALSE(whole.empty());
  const Data index = index_of(jpeg, columns);
  std::mt19937 random(spec.seed);
  for (int i = 0; i < regions; ++i) {
    const Region r = random_region(random, spec.width, spec.height);
    counts.regions += 1;
    counts.small += decoder.uses_index(jpeg, index, r) ? 1 : 0;
    ASSERT_EQ(decoder.differing_bytes(jpeg, index, whole, spec.width, r), 0)
        << spec.width << 'x' << spec.height << " luma " << spec.sampling[0].first << 'x'
        << spec.sampling[0].second << " region " << r.x0 << ' ' << r.y0 << ' ' << r.x1 << ' '
        << r.y1 << " columns " << columns << " optimize " << spec.optimize;
  }
}

JpegSpec random_spec(std::mt19937& random, const Factors& factors) {
  JpegSpec spec;
  spec.components = static_cast<int>(factors.size());
  spec.sampling = factors;
  spec.optimize = random() % 2 == 0;
  spec.quality = pick(random, 5, 100);
  spec.rgb = spec.components == 3 && random() % 8 == 0;
  spec.seed = static_cast<uint32_t>(random());
  return spec;
}

int rounds() {
  const char* full = std::getenv("STOKER_TEST_FULL");
  return full != nullptr && std::string_view(full) == "1" ? 20 : 1;
}

int32_t random_columns(std::mt19937& random) {
  return 1 << pick(random, 0, 3);
}

TEST(JpegIndex, SmallSizes) {
  IndexedDecoder decoder;
  std::mt19937 random(11);
  Counts counts;
  for (int round = 0; round < rounds(); ++round) {
    for (const Factors& factors : samplings()) {
      for (int size = 1; size <= 67; size += pick(random, 1, 4)) {
        JpegSpec spec = random_spec(random, factors);
        spec.width = size;
        spec.height = pick(random, 1, 67);
        check(decoder, spec, random_columns(random), 8, counts);
      }
    }
  }
  EXPECT_GT(counts.small, counts.regions / 4) << "the index is used";
}

TEST(JpegIndex, LargerSizes) {
  IndexedDecoder decoder;
  std::mt19937 random(12);
  Counts counts;
  for (int round = 0; round < rounds(); ++round) {
    for (const Factors& factors : samplings()) {
      for (int i = 0; i < 2; ++i) {
        JpegSpec spec = random_spec(random, factors);
        spec.width = pick(random, 68, 400);
        spec.height = pick(random, 68, 400);
        check(decoder, spec, random_columns(random), 24, counts);
      }
    }
  }
  EXPECT_GT(counts.small, counts.regions / 2) << "the index is used";
}

// The usual samplings at every height modulo 16, down to the bottom right corner.
TEST(JpegIndex, EveryRestOfTheSize) {
  IndexedDecoder decoder;
  std::mt19937 random(13);
  Counts counts;
  const std::vector<Factors> usual = {{{1, 1}},
                                      {{1, 1}, {1, 1}, {1, 1}},
                                      {{2, 1}, {1, 1}, {1, 1}},
                                      {{2, 2}, {1, 1}, {1, 1}},
                                      {{1, 2}, {1, 1}, {1, 1}}};
  for (const Factors& factors : usual) {
    for (int rest = 0; rest < 16; ++rest) {
      JpegSpec spec = random_spec(random, factors);
      spec.width = 96 + rest;
      spec.height = 96 + (5 * rest + 3) % 16;
      check(decoder, spec, 1 + rest % 4, 40, counts);
    }
  }
  EXPECT_GT(counts.small, counts.regions / 2) << "the index is used";
}

// An Adobe segment decides on the colours where neither JFIF nor the ids do.
TEST(JpegIndex, ColoursByAdobeSegment) {
  JpegSpec spec;
  spec.width = 150;
  spec.height = 100;
  spec.rgb = true;  // with an Adobe segment that says so, and the ids R, G and B
  spec.sampling = {{1, 1}, {1, 1}, {1, 1}};
  Data jpeg = testing::encode(spec);
  int renamed = 0;
  for (size_t i = 0; i + 1 < 700; ++i) {
    const bool is_header = jpeg[i] == 0xFF && (jpeg[i + 1] == 0xC0 || jpeg[i + 1] == 0xDA);
    const size_t first = jpeg[i + 1] == 0xC0 ? i + 10 : i + 5;
    const size_t step = jpeg[i + 1] == 0xC0 ? 3 : 2;
    for (size_t c = 0; is_header && c < 3; ++c, ++renamed) {
      jpeg[first + c * step] = static_cast<uint8_t>(c + 1);
    }
  }
  ASSERT_EQ(renamed, 6);
  IndexedDecoder decoder;
  const Data index = index_of(jpeg, 2);
  const Region r{40, 40, 90, 80};
  EXPECT_TRUE(decoder.uses_index(jpeg, index, r));
  EXPECT_EQ(decoder.differing_bytes(jpeg, index, testing::decode_plainly(jpeg), 150, r), 0);
}

}  // namespace
}  // namespace stoker::codec
