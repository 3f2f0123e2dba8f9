// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/encoder.h"

#include <gtest/gtest.h>
#include <png.h>
#include <webp/decode.h>

#include <algorithm>

#include "stoker/core/error.h"

namespace stoker::synth {
namespace {

struct Picture {
  std::vector<uint8_t> pixels = std::vector<uint8_t>(size_t{20} * 10 * 3);
  ImageView view() {
    for (size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = static_cast<uint8_t>(i * 7);
    }
    return {.data = pixels.data(), .width = 20, .height = 10, .channels = 3, .stride_bytes = 60};
  }
};

TEST(Encoder, JpegIsBaseline420) {
  Picture picture;
  std::vector<uint8_t> out;
  ASSERT_TRUE(encode(picture.view(), ImageFormat::Jpeg, 90, out).ok());
  ASSERT_GT(out.size(), 100U);
  EXPECT_EQ(out[0], 0xFF);
  EXPECT_EQ(out[1], 0xD8);
  // The frame header: marker C0, length, 8 bits, height 10, width 20, 3 components, 2x2 for luma.
  const std::vector<uint8_t> frame = {0xFF, 0xC0, 0, 17, 8, 0, 10, 0, 20, 3, 1, 0x22};
  EXPECT_NE(std::search(out.begin(), out.end(), frame.begin(), frame.end()), out.end());
}

TEST(Encoder, PngGivesThePixelsBack) {
  Picture picture;
  std::vector<uint8_t> out;
  ASSERT_TRUE(encode(picture.view(), ImageFormat::Png, 90, out).ok());
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&image, out.data(), out.size()), 0);
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
  EXPECT_EQ(pixels, picture.pixels);
}

TEST(Encoder, WebpHasTheSize) {
  Picture picture;
  std::vector<uint8_t> out;
  ASSERT_TRUE(encode(picture.view(), ImageFormat::Webp, 90, out).ok());
  int width = 0;
  int height = 0;
  ASSERT_NE(WebPGetInfo(out.data(), out.size(), &width, &height), 0);
  EXPECT_EQ(width, 20);
  EXPECT_EQ(height, 10);
}

TEST(Encoder, WhatTheFormatCannotHoldIsAStatus) {
  std::vector<uint8_t> pixels(size_t{3} * 70000);
  const ImageView wide{.data = pixels.data(),
                       .width = 70000,
                       .height = 1,
                       .channels = 3,
                       .stride_bytes = pixels.size()};
  std::vector<uint8_t> out;
  EXPECT_EQ(encode(wide, ImageFormat::Jpeg, 90, out).message(),
            "Maximum supported image dimension is 65500 pixels");
  EXPECT_FALSE(encode(wide, ImageFormat::Webp, 90, out).ok());
}

TEST(Encoder, NamesOfFormats) {
  EXPECT_EQ(format_of_name("webp"), ImageFormat::Webp);
  EXPECT_STREQ(file_extension(ImageFormat::Jpeg), "jpg");
  EXPECT_THROW(format_of_name("gif"), Error);
}

}  // namespace
}  // namespace stoker::synth
