// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/image_format.h"

#include <gtest/gtest.h>

#include <string_view>

namespace stoker::scan {
namespace {

using namespace std::string_view_literals;

const char* name_of(std::string_view text) {
  return image_format_name(
      image_format({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
}

TEST(ImageFormat, IsToldByContent) {
  EXPECT_STREQ(name_of("\xFF\xD8\xFF\xE0"sv), "jpeg");
  EXPECT_STREQ(name_of("\x89PNG\r\n\x1A\n...."sv), "png");
  EXPECT_STREQ(name_of("RIFF\x10\0\0\0WEBPVP8 "sv), "webp");
  EXPECT_STREQ(name_of("GIF89a..."sv), "gif");
  EXPECT_STREQ(name_of("BM......"sv), "bmp");
  EXPECT_STREQ(name_of("II*\0...."sv), "tiff");
  EXPECT_STREQ(name_of("MM\0*...."sv), "tiff");
  EXPECT_STREQ(name_of("P6\n1 1\n255\n..."sv), "pnm");
}

TEST(ImageFormat, WhatIsNoImageIsUnknown) {
  EXPECT_STREQ(name_of(""sv), "unknown");
  EXPECT_STREQ(name_of("\xFF\xD8"sv), "unknown");
  EXPECT_STREQ(name_of("RIFX\x10\0\0\0WEBPVP8 "sv), "unknown");
  EXPECT_STREQ(name_of("P7\n"sv), "unknown");
  EXPECT_STREQ(name_of("P6"sv), "unknown");
}

}  // namespace
}  // namespace stoker::scan
