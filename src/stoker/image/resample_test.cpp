// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "stoker/image/kernels/target.h"

namespace stoker::image {
namespace {

constexpr Filter kFilters[] = {Filter::Nearest, Filter::Lanczos, Filter::Bilinear,
                               Filter::Bicubic, Filter::Box,     Filter::Hamming};

struct Pixels {
  Pixels(int32_t w, int32_t h, size_t slack = 64)
      : width(w), height(h), bytes(static_cast<size_t>(w) * static_cast<size_t>(h) * 4 + slack) {}
  ImageView view() { return {bytes.data(), width, height, 4, static_cast<size_t>(width) * 4}; }
  int32_t width, height;
  std::vector<uint8_t> bytes;
};

int32_t pick(std::mt19937& random, int32_t low, int32_t high) {
  return low + static_cast<int32_t>(random() % static_cast<uint32_t>(high - low + 1));
}

// Half noise, half only black and white, which drives sums out of the range of a byte.
Pixels random_pixels(std::mt19937& random, int32_t width, int32_t height) {
  Pixels pixels(width, height);
  const bool extreme = random() % 2 == 0;
  for (uint8_t& byte : pixels.bytes) {
    const auto value = static_cast<uint8_t>(random());
    byte = extreme ? (value < 128 ? 0 : 255) : value;
  }
  return pixels;
}

Region random_window(std::mt19937& random, int32_t width, int32_t height) {
  Region r;
  r.x0 = random() % 3 == 0 ? 0 : pick(random, 0, width - 1);
  r.y0 = random() % 3 == 0 ? 0 : pick(random, 0, height - 1);
  r.x1 = random() % 3 == 0 ? width : pick(random, r.x0 + 1, width);
  r.y1 = random() % 3 == 0 ? height : pick(random, r.y0 + 1, height);
  return r;
}

bool same_rgb(const Pixels& a, const Pixels& b) {
  const size_t bytes = static_cast<size_t>(a.width) * static_cast<size_t>(a.height) * 4;
  for (size_t i = 0; i < bytes; ++i) {
    if (i % 4 != 3 && a.bytes[i] != b.bytes[i]) {
      return false;
    }
  }
  return true;
}

std::vector<uint8_t> first_channel(Pixels& in, int32_t out_width, int32_t out_height, Filter filter,
                                   PassOrder order) {
  Pixels out(out_width, out_height);
  ResampleScratch scratch;
  const Status status = resize(in.view(), out_width, out_height, filter, order,
                               {0, 0, out_width, out_height}, out.view(), scratch);
  EXPECT_TRUE(status.ok()) << status.to_string();
  std::vector<uint8_t> values(static_cast<size_t>(out_width) * static_cast<size_t>(out_height));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = out.bytes[4 * i];
  }
  return values;
}

Pixels grey_pixels(int32_t width, int32_t height, const std::vector<uint8_t>& values) {
  Pixels pixels(width, height);
  for (size_t i = 0; i < values.size(); ++i) {
    std::fill_n(pixels.bytes.begin() + static_cast<std::ptrdiff_t>(4 * i), 4, values[i]);
  }
  return pixels;
}

class ResampleTest : public ::testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override { force_target(GetParam()); }
  void TearDown() override { force_target(supported_targets().back()); }
};

INSTANTIATE_TEST_SUITE_P(Targets, ResampleTest, ::testing::ValuesIn(supported_targets()),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// The right values are what Pillow 13.0.0 and 12.3.0 gave for these calls.
struct Golden {
  Filter filter;
  std::vector<uint8_t> down, up;  // 4 x 3 to 2 x 2 and to 5 x 4
};

TEST_P(ResampleTest, ValuesOfPillow) {
  const std::vector<Golden> goldens = {
      {Filter::Nearest, {100, 50, 20, 40}, {0,   100, 200, 200, 50, 255, 0,  255, 255, 0,
                                            255, 0,   255, 255, 0,  10,  20, 30,  30,  40}},
      {Filter::Lanczos, {110, 125, 69, 56}, {0,   54, 188, 153, 43, 183, 54, 166, 213, 11,
                                             189, 32, 77,  143, 11, 0,   14, 19,  20,  44}},
      {Filter::Bilinear, {99, 117, 65, 62}, {0,   70, 150, 155, 50, 159, 74, 136, 170, 19,
                                             163, 54, 89,  124, 15, 10,  17, 25,  33,  40}},
      {Filter::Bicubic, {101, 123, 65, 59}, {0,   66, 168, 163, 46, 177, 60, 149, 200, 14,
                                             181, 38, 87,  142, 12, 0,   14, 20,  25,  42}},
      {Filter::Box, {89, 127, 15, 35}, {0,   100, 200, 200, 50, 255, 0,  255, 255, 0,
                                        255, 0,   255, 255, 0,  10,  20, 30,  30,  40}},
      {Filter::Hamming, {77, 123, 48, 58}, {0,   88, 150, 181, 50, 195, 45, 133, 213, 12,
                                            198, 29, 104, 178, 9,  10,  19, 25,  31,  40}},
  };
  Pixels in = grey_pixels(4, 3, {0, 100, 200, 50, 255, 0, 255, 0, 10, 20, 30, 40});
  for (const Golden& golden : goldens) {
    for (const PassOrder order : {PassOrder::HorizontalFirst, PassOrder::ByCost}) {
      EXPECT_EQ(first_channel(in, 2, 2, golden.filter, order), golden.down);
      EXPECT_EQ(first_channel(in, 5, 4, golden.filter, order), golden.up);
    }
  }
}

TEST_P(ResampleTest, OrderOfThePassesShows) {
  std::vector<uint8_t> values(36);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<uint8_t>(i * 37);
  }
  Pixels in = grey_pixels(3, 12, values);
  EXPECT_EQ(first_channel(in, 2, 3, Filter::Lanczos, PassOrder::ByCost),
            (std::vector<uint8_t>{109, 93, 114, 129, 133, 109}));
  EXPECT_EQ(first_channel(in, 2, 3, Filter::Lanczos, PassOrder::HorizontalFirst),
            (std::vector<uint8_t>{110, 93, 114, 129, 133, 109}));
}

void expect_equals_reference(std::mt19937& random, int32_t width, int32_t height, int32_t out_width,
                             int32_t out_height, Filter filter) {
  Pixels in = random_pixels(random, width, height);
  const auto order = static_cast<PassOrder>(random() % 2);
  const Region window = random_window(random, out_width, out_height);
  Pixels whole(out_width, out_height);
  Pixels want(window.width(), window.height());
  // Ends exactly where its last pixel does: nothing may be written beyond.
  Pixels got(window.width(), window.height(), 0);
  ResampleScratch scratch;
  const Region all = {0, 0, out_width, out_height};
  ASSERT_TRUE(
      resize_reference(in.view(), out_width, out_height, filter, order, all, whole.view(), scratch)
          .ok());
  for (int32_t y = 0; y < want.height; ++y) {
    std::copy_n(whole.view().row(window.y0 + y) + static_cast<size_t>(window.x0) * 4,
                static_cast<size_t>(want.width) * 4, want.view().row(y));
  }
  ASSERT_TRUE(
      resize(in.view(), out_width, out_height, filter, order, window, got.view(), scratch).ok());
  EXPECT_TRUE(same_rgb(want, got))
      << width << 'x' << height << " -> " << out_width << 'x' << out_height << " filter "
      << static_cast<int>(filter) << " window " << window.x0 << ' ' << window.y0 << ' ' << window.x1
      << ' ' << window.y1;
  // Only the pixels that the window needs, at another place in memory.
  const Region needed = resize_source(width, height, out_width, out_height, filter, window);
  Pixels part(needed.width(), needed.height());
  for (int32_t y = 0; y < part.height; ++y) {
    std::copy_n(in.view().row(needed.y0 + y) + static_cast<size_t>(needed.x0) * 4,
                static_cast<size_t>(part.width) * 4, part.view().row(y));
  }
  std::fill(got.bytes.begin(), got.bytes.end(), uint8_t{0});
  ASSERT_TRUE(resize_part(part.view(), needed, width, height, out_width, out_height, filter, order,
                          window, got.view(), scratch)
                  .ok());
  EXPECT_TRUE(same_rgb(want, got)) << "part";
}

TEST_P(ResampleTest, WindowsEqualTheWholeReferenceAtSmallSizes) {
  std::mt19937 random(3);
  for (const Filter filter : kFilters) {
    for (int32_t size = 1; size <= 67; ++size) {
      expect_equals_reference(random, size, pick(random, 1, 67), pick(random, 1, 67),
                              pick(random, 1, 67), filter);
      expect_equals_reference(random, pick(random, 1, 67), pick(random, 1, 67), size, size, filter);
    }
  }
}

TEST_P(ResampleTest, WindowsEqualTheWholeReferenceAtExtremeScales) {
  std::mt19937 random(4);
  for (const Filter filter : kFilters) {
    expect_equals_reference(random, 1, 1, 300, 200, filter);
    expect_equals_reference(random, 2, 1000, 3, 5, filter);
    expect_equals_reference(random, 3000, 2, 1, 7, filter);
    expect_equals_reference(random, 5000, 1, 2, 1, filter);
    expect_equals_reference(random, 300, 200, 1, 1, filter);
    expect_equals_reference(random, 50, 40, 50, 90, filter);
    expect_equals_reference(random, 50, 40, 90, 40, filter);
    expect_equals_reference(random, 50, 40, 50, 40, filter);
  }
}

TEST(Resample, RefusesWhatHasNoPixels) {
  Pixels in(4, 4);
  Pixels out(4, 4);
  ResampleScratch scratch;
  const auto code = [&](int32_t width, int32_t height, const Region& window) {
    return resize(in.view(), width, height, Filter::Bilinear, PassOrder::ByCost, window, out.view(),
                  scratch)
        .code();
  };
  EXPECT_EQ(code(4, 4, {0, 0, 4, 4}), ErrorCode::Ok);
  EXPECT_EQ(code(0, 4, {0, 0, 4, 4}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(4, -1, {0, 0, 4, 4}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(8, 8, {2, 2, 2, 6}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(8, 8, {6, 0, 10, 4}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(8, 8, {0, 0, 3, 4}), ErrorCode::InvalidArgument) << "out has another size";
}

}  // namespace
}  // namespace stoker::image
