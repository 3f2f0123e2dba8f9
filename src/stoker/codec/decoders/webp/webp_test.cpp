// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include <string>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders_registry.h"

namespace stoker::codec {
namespace {

using Data = std::vector<uint8_t>;
using Chunks = std::vector<std::pair<std::string, Data>>;

constexpr int kWidth = 21, kHeight = 18;

Data pattern(int channels) {
  Data pixels;
  for (int i = 0; i < kWidth * kHeight * channels; ++i) {
    pixels.push_back(static_cast<uint8_t>(i * 37 + i / 50));
  }
  return pixels;
}

Data taken(uint8_t* file, size_t size) {
  Data data(file, file + size);
  WebPFree(file);
  return data;
}

Data lossless(const Data& rgb) {
  uint8_t* file = nullptr;
  const size_t size = WebPEncodeLosslessRGB(rgb.data(), kWidth, kHeight, 3 * kWidth, &file);
  return taken(file, size);
}

Data lossy(float quality) {
  uint8_t* file = nullptr;
  const size_t size =
      WebPEncodeRGBA(pattern(4).data(), kWidth, kHeight, 4 * kWidth, quality, &file);
  return taken(file, size);
}

Data file_of(const Chunks& chunks) {
  Data body = {'W', 'E', 'B', 'P'};
  const auto append = [](Data& out, const std::string& name, size_t size) {
    out.insert(out.end(), name.begin(), name.end());
    for (int shift = 0; shift < 32; shift += 8) {
      out.push_back(static_cast<uint8_t>(size >> shift));
    }
  };
  for (const auto& [name, data] : chunks) {
    append(body, name, data.size());
    body.insert(body.end(), data.begin(), data.end());
    body.resize(body.size() + data.size() % 2);
  }
  Data file;
  append(file, "RIFF", body.size());
  file.insert(file.end(), body.begin(), body.end());
  return file;
}

// The picture chunk of a simple file.
Data picture_of(const Data& file) {
  const size_t size = file[16] | static_cast<size_t>(file[17]) << 8;
  return {file.begin() + 20, file.begin() + 20 + static_cast<std::ptrdiff_t>(size)};
}

Data extended_header(uint8_t flags, int width = kWidth, int height = kHeight) {
  return {flags, 0, 0, 0, static_cast<uint8_t>(width - 1), 0, 0, static_cast<uint8_t>(height - 1),
          0,     0};
}

struct Outcome {
  Status status;
  Data pixels;
};

Outcome decode(const Data& data, const Region& region, PixelFormat format = PixelFormat::Rgb) {
  const auto state = decoder_webp().make_state();
  const int32_t channels = format == PixelFormat::Rgb ? 3 : 4;
  const auto row = static_cast<size_t>(region.width()) * static_cast<size_t>(channels);
  Outcome outcome;
  outcome.pixels.resize(row * static_cast<size_t>(region.height()));
  outcome.status =
      state->decode(data, {region, format},
                    {outcome.pixels.data(), region.width(), region.height(), channels, row});
  return outcome;
}

// Of a whole picture of four channels.
Data cropped(const Data& pixels, const Region& region) {
  Data part;
  for (std::ptrdiff_t y = region.y0; y < region.y1; ++y) {
    const auto row = pixels.begin() + y * kWidth * 4;
    part.insert(part.end(), row + std::ptrdiff_t{region.x0} * 4,
                row + std::ptrdiff_t{region.x1} * 4);
  }
  return part;
}

constexpr Region kWhole = {0, 0, kWidth, kHeight};

ErrorCode code_of(const Chunks& chunks) {
  return decode(file_of(chunks), kWhole).status.code();
}

TEST(WebpDecoder, ProbesByContentAndReadsTheHeader) {
  const Decoder decoder = decoder_webp();
  const Data data = lossy(50);
  EXPECT_TRUE(decoder.probe(data));
  EXPECT_FALSE(decoder.probe(Data{'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'A', 'V', 'E'}));
  const Result<ImageInfo> info = decoder.make_state()->read_info(data);
  ASSERT_TRUE(info.ok()) << info.status().to_string();
  EXPECT_EQ(info->width, kWidth);
  EXPECT_EQ(info->height, kHeight);
  EXPECT_EQ(info->channels, 3);
}

TEST(WebpDecoder, LosslessPixelsAndParts) {
  const Data rgb = pattern(3);
  const Data file = lossless(rgb);
  const Outcome whole = decode(file, kWhole);
  ASSERT_TRUE(whole.status.ok()) << whole.status.to_string();
  EXPECT_EQ(whole.pixels, rgb);
  const size_t at = size_t{3} * (size_t{5} * kWidth + 7);
  EXPECT_EQ(decode(file, {7, 5, 9, 6}).pixels,
            Data(rgb.begin() + static_cast<std::ptrdiff_t>(at),
                 rgb.begin() + static_cast<std::ptrdiff_t>(at) + 6));
}

TEST(WebpDecoder, LossyPixelsAreThoseOfTheWholePicture) {
  const Data file = lossy(70);
  int width = 0, height = 0;
  uint8_t* rgba = WebPDecodeRGBA(file.data(), file.size(), &width, &height);
  ASSERT_NE(rgba, nullptr);
  const Data want = taken(rgba, size_t{kWidth} * kHeight * 4);
  EXPECT_EQ(decode(file, kWhole, PixelFormat::Rgbx).pixels, want);
  for (const Region& r : {Region{1, 1, 20, 17}, Region{8, 3, 9, 4}, Region{15, 0, 21, 18}}) {
    EXPECT_EQ(decode(file, r, PixelFormat::Rgbx).pixels, cropped(want, r));
  }
}

TEST(WebpDecoder, ExtendedFiles) {
  const Data picture = picture_of(lossless(pattern(3)));
  const std::pair<std::string, Data> header = {"VP8X", extended_header(0)};
  EXPECT_EQ(code_of({{"VP8L", picture}}), ErrorCode::Ok);
  EXPECT_EQ(code_of({header, {"ICCP", {1}}, {"VP8L", picture}, {"EXIF", {1, 2}}, {"XMP ", {}}}),
            ErrorCode::Ok);
  EXPECT_EQ(code_of({header, {"EXIF", {1, 2}}, {"VP8L", picture}}), ErrorCode::Unsupported);
  EXPECT_EQ(code_of({header, {"VP8L", picture}, {"VP8L", picture}}), ErrorCode::Unsupported);
  EXPECT_EQ(code_of({header, {"ALPH", {0}}, {"VP8L", picture}}), ErrorCode::Unsupported);
  EXPECT_EQ(code_of({header, {"ALPH", {0}}}), ErrorCode::Corrupt);
  EXPECT_EQ(code_of({header}), ErrorCode::Unsupported);
  EXPECT_EQ(code_of({{"VP8L", picture}, {"EXIF", {1, 2}}}), ErrorCode::Unsupported)
      << "not without the extended header";
  EXPECT_EQ(code_of({{"VP8X", extended_header(0x02)}, {"VP8L", picture}}), ErrorCode::Unsupported)
      << "an animation";
  EXPECT_EQ(code_of({{"VP8X", extended_header(0, kWidth + 1)}, {"VP8L", picture}}),
            ErrorCode::Unsupported)
      << "a canvas of another size";
}

TEST(WebpDecoder, CutFilesFail) {
  for (const Data& file : {lossy(60), lossless(pattern(3))}) {
    for (size_t size = 0; size < file.size(); ++size) {
      const Data cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_FALSE(decode(cut, kWhole).status.ok()) << size;
    }
    Data longer = file;
    longer.resize(longer.size() + 2);
    EXPECT_EQ(decode(longer, kWhole).status.code(), ErrorCode::Unsupported);
  }
}

TEST(WebpDecoder, RegionsOutsideAreRefused) {
  const Data file = lossy(60);
  EXPECT_EQ(decode(file, {0, 0, kWidth + 1, 1}).status.code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace stoker::codec
