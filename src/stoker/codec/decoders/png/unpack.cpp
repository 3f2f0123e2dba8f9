// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/png/unpack.h"

#include <cstring>

namespace stoker::codec::png {
namespace {

template <size_t kChannels>
void put(uint8_t* out, uint8_t r, uint8_t g, uint8_t b) {
  out[0] = r;
  if constexpr (kChannels > 1) {
    out[1] = g;
    out[2] = b;
  }
  if constexpr (kChannels == 4) {
    out[3] = 255;
  }
}

// Pixels of kBytes, their R, G and B kDistance bytes apart.
template <size_t kChannels, size_t kBytes, size_t kDistance>
void run_direct(const uint8_t* row, const Span& span, uint8_t* out) {
  const uint8_t* in = row + span.first * kBytes;
  const size_t step = span.step * kChannels;
  for (size_t i = 0; i < span.count; ++i, in += kBytes, out += step) {
    put<kChannels>(out, in[0], in[kDistance], in[2 * kDistance]);
  }
}

template <size_t kChannels>
void run_grey16(const uint8_t* row, const Span& span, uint8_t* out) {
  const uint8_t* in = row + span.first * 2;
  const size_t step = span.step * kChannels;
  for (size_t i = 0; i < span.count; ++i, in += 2, out += step) {
    const uint8_t value = in[0] != 0 ? 255 : in[1];
    put<kChannels>(out, value, value, value);
  }
}

}  // namespace

void Unpacker::start(const Header& header, PixelFormat format) {
  header_ = &header;
  format_ = format;
  if (header.colour == ColourType::Palette) {
    fill_palette_table(header.palette);
  } else if (header.colour == ColourType::Grey && header.depth <= 8) {
    fill_grey_table(header.depth);
  }
}

void Unpacker::fill_grey_table(uint8_t depth) {
  const uint32_t most = (1U << depth) - 1;
  for (uint32_t i = 0; i <= most; ++i) {
    const auto value = static_cast<uint8_t>(i * 255 / most);
    table_[i] = {value, value, value, 255};
  }
}

// Entries that the file does not have are black.
void Unpacker::fill_palette_table(Bytes palette) {
  table_.fill({0, 0, 0, 255});
  for (size_t i = 0; 3 * i < palette.size(); ++i) {
    table_[i] = {palette[3 * i], palette[3 * i + 1], palette[3 * i + 2], 255};
  }
}

template <size_t kChannels>
void Unpacker::run_indexed(const uint8_t* row, const Span& span, uint8_t* out) const {
  const size_t step = span.step * kChannels;
  const size_t depth = header_->depth;
  if (depth == 8) {
    for (size_t i = 0; i < span.count; ++i, out += step) {
      std::memcpy(out, table_[row[span.first + i]].data(), kChannels);
    }
    return;
  }
  const auto mask = static_cast<uint8_t>((1U << depth) - 1);
  size_t bit = span.first * depth;
  for (size_t i = 0; i < span.count; ++i, bit += depth, out += step) {
    const size_t shift = 8 - depth - bit % 8;
    std::memcpy(out, table_[row[bit / 8] >> shift & mask].data(), kChannels);
  }
}

template <size_t kChannels>
void Unpacker::run_as(const uint8_t* row, const Span& span, uint8_t* out) const {
  const bool deep = header_->depth == 16;
  switch (header_->colour) {
    case ColourType::Grey:
      return deep ? run_grey16<kChannels>(row, span, out) : run_indexed<kChannels>(row, span, out);
    case ColourType::Palette:
      return run_indexed<kChannels>(row, span, out);
    case ColourType::Rgb:
      return deep ? run_direct<kChannels, 6, 2>(row, span, out)
                  : run_direct<kChannels, 3, 1>(row, span, out);
    case ColourType::GreyAlpha:
      return deep ? run_direct<kChannels, 4, 0>(row, span, out)
                  : run_direct<kChannels, 2, 0>(row, span, out);
    case ColourType::Rgba:
      return deep ? run_direct<kChannels, 8, 2>(row, span, out)
                  : run_direct<kChannels, 4, 1>(row, span, out);
  }
}

void Unpacker::run(const uint8_t* row, const Span& span, uint8_t* out) const {
  switch (format_) {
    case PixelFormat::Grey:
      return run_as<1>(row, span, out);
    case PixelFormat::Rgb:
      return run_as<3>(row, span, out);
    case PixelFormat::Rgbx:
      return run_as<4>(row, span, out);
  }
}

}  // namespace stoker::codec::png
