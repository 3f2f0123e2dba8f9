// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/png/header.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <string>

namespace stoker::codec::png {
namespace {

constexpr std::array<uint8_t, 8> kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr size_t kHeadBytes = 8;    // length and name of a chunk
constexpr size_t kExtraBytes = 12;  // these and the checksum
constexpr size_t kHeaderBytes = 13;
constexpr size_t kMostPaletteBytes = 768;
constexpr uint32_t kMostLength = 0x7FFFFFFF;
constexpr uint32_t kIhdr = name_of("IHDR"), kPlte = name_of("PLTE"), kTrns = name_of("tRNS"),
                   kIdat = name_of("IDAT"), kIend = name_of("IEND");

uint32_t read_u32(Bytes data, size_t at) {
  return uint32_t{data[at]} << 24 | uint32_t{data[at + 1]} << 16 | uint32_t{data[at + 2]} << 8 |
         data[at + 3];
}

std::string text_of(uint32_t name) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto c = static_cast<char>(name >> shift & 255);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

bool is_letter(uint8_t c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool depth_fits(ColourType colour, uint8_t depth) {
  switch (colour) {
    case ColourType::Grey:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
    case ColourType::Palette:
      return depth == 1 || depth == 2 || depth == 4 || depth == 8;
    case ColourType::Rgb:
    case ColourType::GreyAlpha:
    case ColourType::Rgba:
      return depth == 8 || depth == 16;
  }
  return false;
}

Status refuse(std::string message) {
  return {ErrorCode::Unsupported, std::move(message)};
}

class Walker {
 public:
  Walker(Bytes data, SideChunks& side, Header& header) : data_(data), side_(side), h_(header) {}

  Status run() {
    size_t at = kSignature.size();
    while (true) {
      Bytes body;
      uint32_t name = 0;
      if (Status status = chunk_at(at, name, body); !status.ok()) {
        return status;
      }
      if (name == kIend) {
        return h_.idat.empty() ? Status(ErrorCode::Corrupt, "no picture") : Status();
      }
      if (Status status = take(at, name, body); !status.ok()) {
        return status;
      }
      at += body.size() + kExtraBytes;
    }
  }

 private:
  Status chunk_at(size_t at, uint32_t& name, Bytes& body) const {
    if (data_.size() - at < kExtraBytes) {
      return {ErrorCode::Truncated, "the file ends before its end chunk"};
    }
    const uint32_t length = read_u32(data_, at);
    name = read_u32(data_, at + 4);
    if (!std::all_of(&data_[at + 4], &data_[at + 8], is_letter) || length > kMostLength) {
      return {ErrorCode::Corrupt, "a broken chunk"};
    }
    if (data_.size() - at - kExtraBytes < length) {
      return {ErrorCode::Truncated, "the file ends inside a chunk"};
    }
    body = data_.subspan(at + kHeadBytes, length);
    return {};
  }

  Status take(size_t at, uint32_t name, Bytes body) {
    const Bytes whole = data_.subspan(at, body.size() + kExtraBytes);
    const bool first = at == kSignature.size();
    if (first != (name == kIhdr)) {
      return refuse("header chunk in the wrong place");
    }
    if (name == kIdat) {
      return take_pixels(whole);
    }
    // Checksums behind the pixels, and of the pixels, are of no meaning to Pillow.
    if (h_.idat.empty() && !checksum_fits(whole)) {
      return {ErrorCode::Corrupt, fmt::format("wrong checksum in {}", text_of(name))};
    }
    switch (name) {
      case kIhdr:
        return take_header(body);
      case kPlte:
        return take_palette(body);
      case kTrns:
        return take_transparency(body);
      default:
        return side_.accept(name, body) ? Status() : refuse("chunk " + text_of(name));
    }
  }

  static bool checksum_fits(Bytes whole) {
    const size_t covered = whole.size() - kExtraBytes + 4;  // name and body
    return crc32(0, whole.data() + 4, static_cast<uInt>(covered)) == read_u32(whole, covered + 4);
  }

  Status take_header(Bytes body) {
    if (body.size() != kHeaderBytes) {
      return refuse("a header of another size");
    }
    h_.width = read_u32(body, 0);
    h_.height = read_u32(body, 4);
    h_.depth = body[8];
    h_.colour = static_cast<ColourType>(body[9]);
    if (h_.width == 0 || h_.height == 0 || h_.width > kMostLength || h_.height > kMostLength) {
      return {ErrorCode::Corrupt, "no size"};
    }
    if (!depth_fits(h_.colour, h_.depth) || body[10] != 0 || body[11] != 0 || body[12] > 1) {
      return refuse("an unknown kind of pixels");
    }
    h_.interlaced = body[12] == 1;
    return {};
  }

  Status take_pixels(Bytes whole) {
    if (h_.colour == ColourType::Palette && h_.palette.empty()) {
      return refuse("no palette");
    }
    if (h_.idat.empty()) {
      h_.idat = whole;
    } else if (h_.idat.data() + h_.idat.size() == whole.data()) {
      h_.idat = {h_.idat.data(), h_.idat.size() + whole.size()};
    } else {
      return refuse("pixels in several places");
    }
    return {};
  }

  Status take_palette(Bytes body) {
    if (!h_.idat.empty() || has_palette_ || body.empty() || body.size() % 3 != 0 ||
        body.size() > kMostPaletteBytes) {
      return refuse("an unusual palette");
    }
    has_palette_ = true;
    if (h_.colour == ColourType::Palette) {  // else a proposal for displays
      h_.palette = body;
    }
    return {};
  }

  // It says nothing of colours, but must be as it should be: Pillow works with it.
  Status take_transparency(Bytes body) {
    bool fits = h_.idat.empty() && !has_transparency_;
    has_transparency_ = true;
    switch (h_.colour) {
      case ColourType::Grey:
        fits = fits && body.size() == 2;
        break;
      case ColourType::Rgb:
        fits = fits && body.size() == 6;
        break;
      case ColourType::Palette:
        fits = fits && !body.empty() && body.size() <= h_.palette.size() / 3;
        break;
      default:
        fits = false;
    }
    return fits ? Status() : refuse("an unusual transparency");
  }

  Bytes data_;
  SideChunks& side_;
  Header& h_;
  bool has_palette_ = false, has_transparency_ = false;
};

}  // namespace

size_t Header::samples() const {
  switch (colour) {
    case ColourType::Grey:
    case ColourType::Palette:
      return 1;
    case ColourType::GreyAlpha:
      return 2;
    case ColourType::Rgb:
      return 3;
    case ColourType::Rgba:
      break;
  }
  return 4;
}

bool has_signature(Bytes data) {
  return data.size() >= kSignature.size() &&
         std::equal(kSignature.begin(), kSignature.end(), data.begin());
}

Status read_header(Bytes data, SideChunks& side, Header& header) {
  header = {};
  if (!has_signature(data)) {
    return {ErrorCode::Corrupt, "not a PNG"};
  }
  side.start();
  return Walker(data, side, header).run();
}

}  // namespace stoker::codec::png
