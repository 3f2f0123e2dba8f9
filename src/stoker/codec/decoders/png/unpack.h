// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "stoker/codec/decoders/png/header.h"

namespace stoker::codec::png {

// Which pixels of a row go where.
struct Span {
  size_t first = 0, count = 0;  // pixels of the row
  size_t step = 1;              // pixels from one to the next in the output
};

// Makes pixels of unfiltered rows, with the values of Pillow's convert("RGB"): alpha is dropped, of
// 16 bits the high byte counts, but 16-bit grey is cut off at 255.
class Unpacker {
 public:
  // `header` must outlive the use. Grey only for files of ColourType::Grey.
  void start(const Header& header, PixelFormat format);
  void run(const uint8_t* row, const Span& span, uint8_t* out) const;

 private:
  template <size_t kChannels>
  void run_as(const uint8_t* row, const Span& span, uint8_t* out) const;
  template <size_t kChannels>
  void run_indexed(const uint8_t* row, const Span& span, uint8_t* out) const;
  void fill_grey_table(uint8_t depth);
  void fill_palette_table(Bytes palette);

  const Header* header_ = nullptr;
  PixelFormat format_ = PixelFormat::Rgbx;
  std::array<std::array<uint8_t, 4>, 256> table_{};  // of up to 8 bits a pixel: RGBX by value
};

}  // namespace stoker::codec::png
