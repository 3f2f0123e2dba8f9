// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/testing/png_bytes.h"

namespace stoker::codec {
namespace {

using testing::append_chunk;
using testing::append_rows;
using testing::png_begin;
using testing::png_of;
using Data = std::vector<uint8_t>;

struct Outcome {
  Status status;
  Data pixels;
};

Outcome decode(DecoderState& state, const Data& data, const Region& region,
               PixelFormat format = PixelFormat::Rgb) {
  const int32_t channels = format == PixelFormat::Grey ? 1 : format == PixelFormat::Rgb ? 3 : 4;
  const auto row = static_cast<size_t>(region.width()) * static_cast<size_t>(channels);
  Outcome outcome;
  outcome.pixels.resize(row * static_cast<size_t>(region.height()));
  outcome.status =
      state.decode(data, {region, format},
                   {outcome.pixels.data(), region.width(), region.height(), channels, row});
  return outcome;
}

Data pixels_of(const Data& data, const Region& region, PixelFormat format = PixelFormat::Rgb) {
  const auto state = decoder_png().make_state();
  Outcome outcome = decode(*state, data, region, format);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.to_string();
  return outcome.pixels;
}

TEST(PngDecoder, ProbesByContentAndReadsTheHeader) {
  const Decoder decoder = decoder_png();
  const Data data = png_of({3, 2, 8, 0}, Data(8));
  EXPECT_TRUE(decoder.probe(data));
  EXPECT_FALSE(decoder.probe(Data{0x89, 'P', 'N', 'G'}));
  const Result<ImageInfo> info = decoder.make_state()->read_info(data);
  ASSERT_TRUE(info.ok()) << info.status().to_string();
  EXPECT_EQ(info->width, 3);
  EXPECT_EQ(info->height, 2);
  EXPECT_EQ(info->channels, 1);
  EXPECT_FALSE(info->clean);
}

// Rows of two RGB pixels, each with another filter; the values come from the standard's formulas.
TEST(PngDecoder, UndoesAllFilters) {
  const Data rows = {0, 10, 20, 30, 40,  50,  60,   //
                     1, 1,  2,  3,  4,   5,   6,    // + left
                     2, 1,  1,  1,  250, 250, 250,  // + above
                     3, 2,  2,  2,  2,   2,   2,    // + (left + above) / 2
                     4, 1,  1,  1,  1,   1,   1};   // + Paeth
  const Data want = {10, 20, 30, 40,  50, 60,       //
                     1,  2,  3,  5,   7,  9,        //
                     2,  3,  4,  255, 1,  3,        //
                     3,  3,  4,  131, 4,  5,        //
                     4,  4,  5,  132, 5,  6};
  EXPECT_EQ(pixels_of(png_of({2, 5}, rows), {0, 0, 2, 5}), want);
}

TEST(PngDecoder, SixteenBits) {
  const Data grey = {0, 0, 0, 0, 255, 1, 0, 128, 0, 255, 255};
  EXPECT_EQ(pixels_of(png_of({5, 1, 16, 0}, grey), {0, 0, 5, 1}, PixelFormat::Grey),
            (Data{0, 255, 255, 255, 255}))
      << "cut off at 255";
  const Data rgb = {0, 0x12, 0x34, 0xFF, 0x00, 0x00, 0xFF};
  EXPECT_EQ(pixels_of(png_of({1, 1, 16, 2}, rgb), {0, 0, 1, 1}), (Data{0x12, 0xFF, 0x00}))
      << "the high byte";
}

TEST(PngDecoder, AlphaIsDropped) {
  EXPECT_EQ(pixels_of(png_of({1, 1, 8, 6}, Data{0, 1, 2, 3, 0}), {0, 0, 1, 1}), (Data{1, 2, 3}));
  EXPECT_EQ(pixels_of(png_of({1, 1, 8, 4}, Data{0, 7, 0}), {0, 0, 1, 1}), (Data{7, 7, 7}));
  EXPECT_EQ(pixels_of(png_of({1, 1, 8, 6}, Data{0, 1, 2, 3, 0}), {0, 0, 1, 1}, PixelFormat::Rgbx),
            (Data{1, 2, 3, 255}));
}

TEST(PngDecoder, Palettes) {
  Data data = png_begin({4, 1, 2, 3});
  append_chunk(data, "PLTE", Data{1, 2, 3, 4, 5, 6});
  append_chunk(data, "tRNS", Data{0, 128});
  append_rows(data, Data{0, 0b00011011});
  EXPECT_EQ(pixels_of(data, {0, 0, 4, 1}), (Data{1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0}))
      << "entries that are not there are black";
  EXPECT_EQ(pixels_of(data, {1, 0, 3, 1}), (Data{4, 5, 6, 0, 0, 0}));
  const auto state = decoder_png().make_state();
  const Data bare = png_of({4, 1, 2, 3}, Data{0, 0});
  EXPECT_EQ(decode(*state, bare, {0, 0, 4, 1}).status.code(), ErrorCode::Unsupported);
}

// Of 3 x 3 pixels there are passes 1, 4, 5, 6 and 7.
TEST(PngDecoder, Interlaced) {
  const Data rows = {0, 1, 0, 2, 0, 3, 4, 0, 5, 0, 6, 0, 7, 8, 9};
  const Data png = png_of({3, 3, 8, 0, true}, rows);
  EXPECT_EQ(pixels_of(png, {0, 0, 3, 3}, PixelFormat::Grey), (Data{1, 5, 2, 7, 8, 9, 3, 6, 4}));
  EXPECT_EQ(pixels_of(png, {1, 1, 3, 3}, PixelFormat::Grey), (Data{8, 9, 6, 4}));
}

TEST(PngDecoder, RegionsOfRowsLargerThanOneBand) {
  const uint32_t width = 700, height = 400;
  Data rows;
  Data want;
  for (uint32_t y = 0; y < height; ++y) {
    rows.push_back(y == 0 ? 0 : 2);  // each row adds one to the one above
    for (uint32_t x = 0; x < 3 * width; ++x) {
      rows.push_back(y == 0 ? static_cast<uint8_t>(x) : 1);
    }
  }
  for (uint32_t y = 390; y < 392; ++y) {
    for (uint32_t x = 3 * 600; x < 3 * 602; ++x) {
      want.push_back(static_cast<uint8_t>(x + y));
    }
  }
  Data data = png_begin({width, height});
  append_rows(data, rows, 1, 1000);
  EXPECT_EQ(pixels_of(data, {600, 390, 602, 392}), want);
}

TEST(PngDecoder, WhatPillowWouldRefuseOrReadOtherwise) {
  const auto state = decoder_png().make_state();
  const auto code = [&](const Data& data) {
    return decode(*state, data, {0, 0, 1, 1}).status.code();
  };
  const Data rows = {0, 1, 2, 3, 0, 1, 2, 3};
  const Data good = png_of({1, 2}, rows);
  EXPECT_EQ(code(good), ErrorCode::Ok);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(code(Data(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))),
              ErrorCode::Ok)
        << size;
  }
  EXPECT_EQ(code(png_of({1, 3}, rows)), ErrorCode::Truncated) << "a row too few";
  EXPECT_EQ(code(png_of({1, 1}, rows)), ErrorCode::Corrupt) << "a row too many";
  EXPECT_EQ(code(png_of({1, 2}, Data{0, 1, 2, 3, 5, 1, 2, 3})), ErrorCode::Corrupt)
      << "an unknown filter below the region";
  EXPECT_EQ(code(png_of({1U << 30, 1U << 30}, rows)), ErrorCode::Truncated);
  EXPECT_EQ(code(png_of({1, 2, 4, 2}, rows)), ErrorCode::Unsupported) << "4-bit RGB";
  Data wrong = good;
  wrong[29] ^= 1;  // the header's checksum
  EXPECT_EQ(code(wrong), ErrorCode::Corrupt);
  Data animation = png_begin({1, 2});
  append_chunk(animation, "acTL", Data(8));
  append_rows(animation, rows);
  EXPECT_EQ(code(animation), ErrorCode::Unsupported);
  Data interlace_key = png_begin({1, 2});
  append_chunk(interlace_key, "tEXt", Data{'i', 'n', 't', 'e', 'r', 'l', 'a', 'c', 'e', 0, '1'});
  append_rows(interlace_key, rows);
  EXPECT_EQ(code(interlace_key), ErrorCode::Unsupported);
}

TEST(PngDecoder, RegionsOutsideAreRefused) {
  const auto state = decoder_png().make_state();
  const Data data = png_of({2, 1, 8, 2}, Data{0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(decode(*state, data, {0, 0, 3, 1}).status.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(decode(*state, data, {0, 0, 2, 1}, PixelFormat::Grey).status.code(),
            ErrorCode::Unsupported);
}

}  // namespace
}  // namespace stoker::codec
