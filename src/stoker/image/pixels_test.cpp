// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/pixels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "stoker/image/kernels/target.h"

namespace stoker::image {
namespace {

std::vector<uint8_t> random_bytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(random()); });
  return bytes;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Every test runs with each instruction set of this CPU.
class PixelsTest : public ::testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override { force_target(GetParam()); }
  void TearDown() override { force_target(supported_targets().back()); }
};

INSTANTIATE_TEST_SUITE_P(Targets, PixelsTest, ::testing::ValuesIn(supported_targets()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(PixelsTest, FlipsOfASmallImage) {
  // Three pixels wide, two high; the bytes are numbers of pixels.
  const std::vector<uint8_t> start = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                      4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6};
  std::vector<uint8_t> pixels = start;
  const ImageView view{pixels.data(), 3, 2, 4, 12};
  flip_horizontal(view);
  EXPECT_EQ(pixels, (std::vector<uint8_t>{3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1,
                                          6, 6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4}));
  flip_horizontal(view);
  EXPECT_EQ(pixels, start);
  flip_vertical(view);
  EXPECT_EQ(pixels, (std::vector<uint8_t>{4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6,
                                          1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
}

void expect_pixel(const uint8_t* pixel, const uint8_t* mirrored, const uint8_t* rgb, uint8_t grey) {
  EXPECT_TRUE(std::equal(pixel, pixel + 4, mirrored));
  EXPECT_TRUE(std::equal(pixel, pixel + 3, rgb));
  EXPECT_EQ(pixel[0], grey);
}

TEST_P(PixelsTest, FlipsAndPacksOfEveryWidth) {
  for (int32_t width = 1; width <= 100; ++width) {
    const auto count = static_cast<size_t>(width);
    const std::vector<uint8_t> start = random_bytes(count * 4, static_cast<uint32_t>(width));
    std::vector<uint8_t> mirrored = start;
    const ImageView view{mirrored.data(), width, 1, 4, count * 4};
    std::vector<uint8_t> rgb(count * 3);
    std::vector<uint8_t> grey(count);
    pack(view, {rgb.data(), width, 1, 3, count * 3});
    pack(view, {grey.data(), width, 1, 1, count});
    flip_horizontal(view);
    for (size_t x = 0; x < count; ++x) {
      SCOPED_TRACE(width);
      expect_pixel(start.data() + 4 * x, mirrored.data() + 4 * (count - 1 - x), rgb.data() + 3 * x,
                   grey[x]);
    }
  }
}

TEST_P(PixelsTest, ToTensorDividesBy255) {
  for (const int32_t channels : {1, 3}) {
    for (int32_t width = 1; width <= 67; ++width) {
      const int32_t height = 3;
      const auto plane = static_cast<size_t>(width) * static_cast<size_t>(height);
      const std::vector<uint8_t> bytes =
          random_bytes(plane * static_cast<size_t>(channels), static_cast<uint32_t>(width));
      std::vector<float> got(bytes.size());
      to_tensor(bytes.data(), height, width, channels, got.data());
      std::vector<float> want(bytes.size());
      for (size_t i = 0; i < plane; ++i) {
        for (size_t c = 0; c < static_cast<size_t>(channels); ++c) {
          const uint8_t value = bytes[i * static_cast<size_t>(channels) + c];
          want[c * plane + i] = static_cast<float>(value) / 255.0F;
        }
      }
      ASSERT_TRUE(same_bits(got, want)) << width << " channels " << channels;
    }
  }
}

TEST_P(PixelsTest, EveryByteAsAFloat) {
  std::vector<uint8_t> bytes(256);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i);
  }
  std::vector<float> got(256);
  to_tensor(bytes.data(), 1, 256, 1, got.data());
  EXPECT_EQ(got[0], 0.0F);
  EXPECT_EQ(got[1], 0x1.010102p-8F);  // torch.tensor(1, dtype=uint8).float() / 255
  EXPECT_EQ(got[127], 0x1.fdfdfep-2F);
  EXPECT_EQ(got[255], 1.0F);
}

TEST_P(PixelsTest, NormalizeRoundsTwice) {
  const float mean[3] = {0.485F, 0.456F, 0.406F};
  const float std[3] = {0.229F, 0.224F, 0.225F};
  for (size_t plane = 1; plane <= 67; ++plane) {
    std::vector<float> in(3 * plane);
    for (size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<float>(i * 37 % 256) / 255.0F;
    }
    std::vector<float> want(in.size());
    for (size_t c = 0; c < 3; ++c) {
      for (size_t i = 0; i < plane; ++i) {
        const float shifted = in[c * plane + i] - mean[c];
        want[c * plane + i] = shifted / std[c];
      }
    }
    std::vector<float> got(in.size());
    normalize(in.data(), 3, plane, mean, std, got.data());
    ASSERT_TRUE(same_bits(got, want)) << plane;
    normalize(in.data(), 3, plane, mean, std, in.data());
    ASSERT_TRUE(same_bits(in, want)) << plane << " in place";
  }
}

TEST_P(PixelsTest, NameOfTheTarget) {
  EXPECT_STREQ(simd_target(), name_of(GetParam()));
}

}  // namespace
}  // namespace stoker::image
