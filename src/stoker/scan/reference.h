// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/core/status.h"

namespace stoker::scan {

// Sums over the pixels of images as RGB: exact, so that neither order nor threads matter.
struct PixelSums {
  uint64_t pixels = 0;
  std::array<uint64_t, 3> values{}, squares{};

  PixelSums& operator+=(const PixelSums& other) {
    pixels += other.pixels;
    for (size_t channel = 0; channel < 3; ++channel) {
      values[channel] += other.values[channel];
      squares[channel] += other.squares[channel];
    }
    return *this;
  }
};

// What a decoder says of a whole file.
struct ImageFacts {
  int32_t width = 0, height = 0;
  int32_t channels = 0;  // 1 grey, 3 colour, 4 CMYK; 0: something else
  bool progressive = false;
  PixelSums sums;  // where asked for
};

// The decoder that has the last word on files that the engine leaves to it: Pillow. One thread.
class Reference {
 public:
  virtual ~Reference() = default;
  // Decodes all of it. A Status of another code than Internal: the file is broken, and why;
  // Internal: nobody can tell, because the reference itself has failed.
  virtual Result<ImageFacts> judge(codec::Bytes file, bool with_sums) = 0;
  // All of its pixels, packed RGB, into `rgb`; codes as above.
  virtual Result<ImageFacts> decode(codec::Bytes file, std::vector<uint8_t>& rgb) = 0;
};

// Makes one for the thread that asks; null where there is none. Called from any thread.
using MakeReference = std::function<std::unique_ptr<Reference>()>;

}  // namespace stoker::scan
