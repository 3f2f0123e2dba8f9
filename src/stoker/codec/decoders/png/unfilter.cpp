// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/png/unfilter.h"

#include <cstring>

namespace stoker::codec::png {
namespace {

// All bytes of one pixel side by side: the filters depend on the pixel to the left, so there is
// nothing else to do at the same time.
using Bytes8 = uint8_t __attribute__((vector_size(8)));
using Wide8 = int16_t __attribute__((vector_size(16)));

template <size_t kPixelBytes>
Wide8 load(const uint8_t* p) {
  Bytes8 bytes = {};
  std::memcpy(&bytes, p, kPixelBytes <= 4 ? 4 : 8);
  return __builtin_convertvector(bytes, Wide8);
}

template <size_t kPixelBytes>
void store(uint8_t* p, Wide8 value) {
  const Bytes8 bytes = __builtin_convertvector(value, Bytes8);
  std::memcpy(p, &bytes, kPixelBytes);
}

Wide8 absolute(Wide8 x) {
  return x < 0 ? -x : x;
}

Wide8 smaller(Wide8 a, Wide8 b) {
  return a < b ? a : b;
}

struct Sub {
  static Wide8 predict(Wide8 left, Wide8 /*up*/, Wide8 /*up_left*/) { return left; }
};

struct Average {
  static Wide8 predict(Wide8 left, Wide8 up, Wide8 /*up_left*/) { return (left + up) >> 1; }
};

struct Paeth {
  static Wide8 predict(Wide8 left, Wide8 up, Wide8 up_left) {
    const Wide8 to_up = up - up_left;
    const Wide8 to_left = left - up_left;
    const Wide8 by_left = absolute(to_up);
    const Wide8 by_up = absolute(to_left);
    const Wide8 by_corner = absolute(to_up + to_left);
    const Wide8 least = smaller(by_corner, smaller(by_left, by_up));
    const Wide8 else_up = least == by_up ? up : up_left;
    return least == by_left ? left : else_up;
  }
};

template <class Filter, size_t kPixelBytes>
void unfilter_pixels(uint8_t* row, const uint8_t* above, size_t row_bytes) {
  Wide8 left = {};
  Wide8 up_left = {};
  for (size_t i = 0; i + kPixelBytes <= row_bytes; i += kPixelBytes) {
    const Wide8 up = load<kPixelBytes>(above + i);
    left = (load<kPixelBytes>(row + i) + Filter::predict(left, up, up_left)) & 255;
    up_left = up;
    store<kPixelBytes>(row + i, left);
  }
}

template <class Filter>
void unfilter_any(uint8_t* row, const uint8_t* above, size_t row_bytes, size_t pixel_bytes) {
  switch (pixel_bytes) {
    case 1:
      return unfilter_pixels<Filter, 1>(row, above, row_bytes);
    case 2:
      return unfilter_pixels<Filter, 2>(row, above, row_bytes);
    case 3:
      return unfilter_pixels<Filter, 3>(row, above, row_bytes);
    case 4:
      return unfilter_pixels<Filter, 4>(row, above, row_bytes);
    case 6:
      return unfilter_pixels<Filter, 6>(row, above, row_bytes);
    default:
      return unfilter_pixels<Filter, 8>(row, above, row_bytes);
  }
}

}  // namespace

void unfilter(uint8_t filter, uint8_t* row, const uint8_t* above, size_t row_bytes,
              size_t pixel_bytes) {
  switch (filter) {
    case 1:
      return unfilter_any<Sub>(row, above, row_bytes, pixel_bytes);
    case 2:
      for (size_t i = 0; i < row_bytes; ++i) {
        row[i] = static_cast<uint8_t>(row[i] + above[i]);
      }
      return;
    case 3:
      return unfilter_any<Average>(row, above, row_bytes, pixel_bytes);
    case 4:
      return unfilter_any<Paeth>(row, above, row_bytes, pixel_bytes);
    default:
      return;
  }
}

}  // namespace stoker::codec::png
