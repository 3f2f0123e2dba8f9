// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders_registry.h"
#include "stoker/codec/testing/jpeg_encoder.h"

namespace stoker::codec {
namespace {

using testing::encode;
using testing::JpegSpec;
using Data = std::vector<uint8_t>;

std::unique_ptr<DecoderState> make_state() {
  return all_decoders().at(0).make_state();
}

struct Outcome {
  Status status;
  Data pixels;
};

Outcome decode(DecoderState& state, const Data& data, const Region& region, PixelFormat format) {
  const int32_t channels = format == PixelFormat::Grey ? 1 : format == PixelFormat::Rgb ? 3 : 4;
  const auto row = static_cast<size_t>(region.width()) * static_cast<size_t>(channels);
  Outcome outcome;
  outcome.pixels.resize(row * static_cast<size_t>(region.height()));
  outcome.status =
      state.decode(data, {region, format},
                   {outcome.pixels.data(), region.width(), region.height(), channels, row});
  return outcome;
}

TEST(JpegDecoder, ProbesByContent) {
  const Decoder decoder = all_decoders().at(0);
  EXPECT_EQ(decoder.id, "jpeg");
  EXPECT_TRUE(decoder.probe(encode({})));
  EXPECT_FALSE(decoder.probe(Data{}));
  EXPECT_FALSE(decoder.probe(Data{0xFF, 0xD8}));
  EXPECT_FALSE(decoder.probe(Data{0x89, 'P', 'N', 'G'}));
}

TEST(JpegDecoder, Formats) {
  const auto state = make_state();
  JpegSpec spec;
  spec.width = 37;
  spec.height = 21;
  const Region all = {0, 0, 37, 21};
  const Data colour = encode(spec);
  EXPECT_EQ(decode(*state, colour, all, PixelFormat::Rgb).pixels, testing::decode_plainly(colour));
  EXPECT_EQ(decode(*state, colour, all, PixelFormat::Grey).status.code(), ErrorCode::Unsupported);

  spec.components = 1;
  const Data grey = encode(spec);
  const Data rgb = testing::decode_plainly(grey);
  EXPECT_EQ(decode(*state, grey, all, PixelFormat::Rgb).pixels, rgb);
  const Data single = decode(*state, grey, all, PixelFormat::Grey).pixels;
  ASSERT_EQ(single.size() * 3, rgb.size());
  for (size_t i = 0; i < single.size(); ++i) {
    ASSERT_EQ(single[i], rgb[3 * i]);
    ASSERT_EQ(single[i], rgb[3 * i + 2]);
  }
}

// Rows that stand apart, and rows back to back, which the decoder fills in another way.
TEST(JpegDecoder, WritesOnlyItsRows) {
  const auto state = make_state();
  JpegSpec spec;
  spec.width = 300;
  spec.height = 90;
  const Data jpeg = encode(spec);
  const Data whole = testing::decode_plainly(jpeg);
  for (const Region& r : {Region{130, 20, 230, 70}, Region{299, 0, 300, 90}, Region{17, 5, 25, 9},
                          Region{0, 0, 300, 90}, Region{20, 30, 290, 31}}) {
    const size_t kept = static_cast<size_t>(r.width()) * 3;
    for (const size_t gap : {size_t{0}, size_t{1}, size_t{100}}) {
      constexpr uint8_t kUntouched = 0xA5;
      constexpr size_t kAround = 400;
      const size_t stride = kept + gap;
      const auto height = static_cast<size_t>(r.height());
      Data want(2 * kAround + stride * height, kUntouched);
      Data got = want;
      for (size_t y = 0; y < height; ++y) {
        const size_t from = ((static_cast<size_t>(r.y0) + y) * 300 + static_cast<size_t>(r.x0)) * 3;
        std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(from), kept,
                    want.begin() + static_cast<std::ptrdiff_t>(kAround + y * stride));
      }
      const ImageView out{got.data() + kAround, r.width(), r.height(), 3, stride};
      ASSERT_TRUE(state->decode(jpeg, {r, PixelFormat::Rgb}, out).ok());
      EXPECT_EQ(got, want) << r.x0 << ' ' << r.y0 << ", gap " << gap;
    }
  }
}

TEST(JpegDecoder, CmykIsLeftToOthers) {
  const auto state = make_state();
  JpegSpec spec;
  spec.components = 4;
  spec.sampling = {};
  const Data data = encode(spec);
  const Result<ImageInfo> info = state->read_info(data);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(info->channels, 4);
  EXPECT_FALSE(info->clean);
  EXPECT_EQ(decode(*state, data, {0, 0, 64, 64}, PixelFormat::Rgbx).status.code(),
            ErrorCode::Unsupported);
}

TEST(JpegDecoder, RegionsOutsideAreRefused) {
  const auto state = make_state();
  const Data data = encode({});
  const std::vector<Region> bad = {{0, 0, 65, 64}, {0, 0, 64, 65}, {-1, 0, 4, 4}, {0, -1, 4, 4},
                                   {4, 4, 4, 8},   {4, 4, 8, 4},   {8, 8, 4, 4}};
  for (const Region& region : bad) {
    uint8_t byte = 0;
    const Status status = state->decode(data, {region, PixelFormat::Rgbx},
                                        {&byte, region.width(), region.height(), 4, 0});
    EXPECT_EQ(status.code(), ErrorCode::InvalidArgument) << status.to_string();
  }
}

TEST(JpegDecoder, CutFilesAreTruncated) {
  const auto state = make_state();
  for (const bool progressive : {false, true}) {
    JpegSpec spec;
    spec.progressive = progressive;
    const Data whole = encode(spec);
    for (size_t size = 4; size < whole.size(); size += 1 + whole.size() / 60) {
      const Data data(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const Status status = decode(*state, data, {0, 0, 64, 64}, PixelFormat::Rgbx).status;
      EXPECT_EQ(status.code(), ErrorCode::Truncated) << size << ' ' << status.to_string();
    }
  }
  EXPECT_FALSE(state->read_info(Data{}).ok());
}

// libjpeg only warns here and makes up pixels.
TEST(JpegDecoder, WarningsAreFailures) {
  const auto state = make_state();
  Data data = encode({});
  data.erase(data.end() - 400, data.end() - 2);  // too few rows, but an end marker
  const Outcome outcome = decode(*state, data, {0, 0, 64, 64}, PixelFormat::Rgbx);
  EXPECT_EQ(outcome.status.code(), ErrorCode::Corrupt) << outcome.status.to_string();
  EXPECT_FALSE(outcome.status.message().empty());
}

// Tables must not live on: libjpeg itself would keep those of the file before.
TEST(JpegDecoder, AFileWithoutTablesDoesNotUseThoseOfAnother) {
  const auto state = make_state();
  const Data whole = encode({});
  ASSERT_TRUE(decode(*state, whole, {0, 0, 64, 64}, PixelFormat::Rgbx).status.ok());
  Data bare = {0xFF, 0xD8};
  for (size_t at = 2; at < whole.size();) {
    const size_t length = 2 + (size_t{whole[at + 2]} << 8) + whole[at + 3];
    const uint8_t marker = whole[at + 1];
    const auto from = whole.begin() + static_cast<std::ptrdiff_t>(at);
    if (marker == 0xDA) {
      bare.insert(bare.end(), from, whole.end());
      break;
    }
    if (marker != 0xDB) {
      bare.insert(bare.end(), from, from + static_cast<std::ptrdiff_t>(length));
    }
    at += length;
  }
  EXPECT_EQ(decode(*state, bare, {0, 0, 64, 64}, PixelFormat::Rgbx).status.code(),
            ErrorCode::Corrupt);
}

TEST(JpegDecoder, GoesOnAfterFailures) {
  const auto state = make_state();
  const Data good = encode({});
  const Data want = testing::decode_plainly(good);
  JpegSpec spec;
  spec.progressive = true;
  Data cut = encode(spec);
  cut.resize(cut.size() / 2);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(decode(*state, cut, {0, 0, 64, 64}, PixelFormat::Rgb).status.ok());
    EXPECT_EQ(decode(*state, good, {0, 0, 64, 64}, PixelFormat::Rgb).pixels, want);
  }
}

}  // namespace
}  // namespace stoker::codec
