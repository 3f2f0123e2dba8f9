// SPDX-License-Identifier: Apache-2.0
#include "stoker/image/pad.h"

#include <gtest/gtest.h>

#include <vector>

namespace stoker::image {
namespace {

using Rows = std::vector<std::vector<int>>;

// Pads grey `rows`; rows of the result lie further apart than they are long.
Rows padded(const Rows& rows, const PadStep& step) {
  const auto width = static_cast<int32_t>(rows[0].size());
  const auto height = static_cast<int32_t>(rows.size());
  std::vector<uint8_t> source;
  for (const std::vector<int>& row : rows) {
    for (const int value : row) {
      source.insert(source.end(), 4, static_cast<uint8_t>(value));
    }
  }
  const ImageView in{source.data(), width, height, 4, static_cast<size_t>(width) * 4};
  ImageView out{nullptr, width + step.left + step.right, height + step.top + step.bottom, 4, 0};
  const size_t row_bytes = static_cast<size_t>(out.width) * 4;
  out.stride_bytes = row_bytes + 8;
  std::vector<uint8_t> target(out.stride_bytes * static_cast<size_t>(out.height), 77);
  out.data = target.data();
  pad(in, step, out);
  Rows result;
  for (int32_t y = 0; y < out.height; ++y) {
    std::vector<int>& row = result.emplace_back();
    for (size_t at = 0; at < row_bytes; at += 4) {
      row.push_back(out.row(y)[at]);
    }
    EXPECT_EQ(out.row(y)[row_bytes], 77) << "written beyond the row";
  }
  return result;
}

PadStep border(PadMode mode) {
  return {.left = 4, .top = 1, .right = 2, .bottom = 3, .mode = mode, .fill = {9, 9, 9}};
}

const Rows kSix = {{1, 2, 3}, {4, 5, 6}};

// The values are those of torchvision's pad of a Pillow image. The border is wider than the image,
// so that it meets both edges.
TEST(Pad, Constant) {
  EXPECT_EQ(padded(kSix, border(PadMode::Constant)), (Rows{{9, 9, 9, 9, 9, 9, 9, 9, 9},
                                                           {9, 9, 9, 9, 1, 2, 3, 9, 9},
                                                           {9, 9, 9, 9, 4, 5, 6, 9, 9},
                                                           {9, 9, 9, 9, 9, 9, 9, 9, 9},
                                                           {9, 9, 9, 9, 9, 9, 9, 9, 9},
                                                           {9, 9, 9, 9, 9, 9, 9, 9, 9}}));
}

TEST(Pad, Edge) {
  EXPECT_EQ(padded(kSix, border(PadMode::Edge)), (Rows{{1, 1, 1, 1, 1, 2, 3, 3, 3},
                                                       {1, 1, 1, 1, 1, 2, 3, 3, 3},
                                                       {4, 4, 4, 4, 4, 5, 6, 6, 6},
                                                       {4, 4, 4, 4, 4, 5, 6, 6, 6},
                                                       {4, 4, 4, 4, 4, 5, 6, 6, 6},
                                                       {4, 4, 4, 4, 4, 5, 6, 6, 6}}));
}

TEST(Pad, Reflect) {
  EXPECT_EQ(padded(kSix, border(PadMode::Reflect)), (Rows{{4, 5, 6, 5, 4, 5, 6, 5, 4},
                                                          {1, 2, 3, 2, 1, 2, 3, 2, 1},
                                                          {4, 5, 6, 5, 4, 5, 6, 5, 4},
                                                          {1, 2, 3, 2, 1, 2, 3, 2, 1},
                                                          {4, 5, 6, 5, 4, 5, 6, 5, 4},
                                                          {1, 2, 3, 2, 1, 2, 3, 2, 1}}));
}

TEST(Pad, Symmetric) {
  EXPECT_EQ(padded(kSix, border(PadMode::Symmetric)), (Rows{{3, 3, 2, 1, 1, 2, 3, 3, 2},
                                                            {3, 3, 2, 1, 1, 2, 3, 3, 2},
                                                            {6, 6, 5, 4, 4, 5, 6, 6, 5},
                                                            {6, 6, 5, 4, 4, 5, 6, 6, 5},
                                                            {3, 3, 2, 1, 1, 2, 3, 3, 2},
                                                            {3, 3, 2, 1, 1, 2, 3, 3, 2}}));
}

TEST(Pad, OfOnePixelRepeatsIt) {
  for (const PadMode mode : {PadMode::Edge, PadMode::Reflect, PadMode::Symmetric}) {
    EXPECT_EQ(padded({{5}}, {.left = 2, .top = 1, .right = 1, .bottom = 0, .mode = mode}),
              (Rows{{5, 5, 5, 5}, {5, 5, 5, 5}}));
  }
}

TEST(Pad, ByNothingCopies) {
  EXPECT_EQ(padded(kSix, {}), kSix);
}

TEST(Pad, FillHasThreeChannels) {
  uint8_t source[4] = {1, 2, 3, 0};
  uint8_t target[8] = {};
  pad({source, 1, 1, 4, 4}, {.left = 1, .fill = {7, 8, 9}}, {target, 2, 1, 4, 8});
  EXPECT_EQ(std::vector<int>(target, target + 3), (std::vector<int>{7, 8, 9}));
  EXPECT_EQ(std::vector<int>(target + 4, target + 7), (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace stoker::image
