// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/tiny_font.h"

#include <gtest/gtest.h>

#include <vector>

namespace stoker::scan {
namespace {

// The rows of a drawing, '#' where there is a letter.
std::string drawn(std::string_view text, int32_t width, int32_t height, int32_t dot) {
  std::vector<uint8_t> pixels(static_cast<size_t>(width * height) * 3);
  const ImageView view{pixels.data(), width, height, 3, static_cast<size_t>(width) * 3};
  draw_text(view, 0, 0, dot, 200, text);
  std::string rows;
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      const uint8_t* pixel = view.row(y) + ptrdiff_t{x} * 3;
      EXPECT_TRUE(pixel[0] == pixel[1] && pixel[0] == pixel[2]);
      rows += pixel[0] == 200 ? '#' : '.';
    }
    rows += '\n';
  }
  return rows;
}

TEST(TinyFont, DrawsLetters) {
  EXPECT_EQ(drawn("l7", 8, 6, 1),
            "#...###.\n"
            "#.....#.\n"
            "#....#..\n"
            "#....#..\n"
            "###..#..\n"
            "........\n");
}

TEST(TinyFont, DotsGrowAndWhatDoesNotFitIsLeftOut) {
  EXPECT_EQ(drawn("-~", 9, 10, 2),
            ".........\n"
            ".........\n"
            ".........\n"
            ".........\n"
            "######...\n"
            "######...\n"
            ".........\n"
            ".........\n"
            ".........\n"
            ".........\n");
}

TEST(TinyFont, LongTextKeepsItsEnd) {
  EXPECT_EQ(fit_text("photo-1.jpg", 4 * 11, 1), "photo-1.jpg");
  EXPECT_EQ(fit_text("photo-1.jpg", 4 * 10, 1), "..to-1.jpg");
  EXPECT_EQ(fit_text("photo-1.jpg", 4 * 10, 4), "");
}

}  // namespace
}  // namespace stoker::scan
