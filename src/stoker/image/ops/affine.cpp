// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "stoker/image/ops/copy.h"
#include "stoker/image/ops/pixel_ops.h"

namespace stoker::image {
namespace {

constexpr const char* kArguments[] = {"a", "b", "c", "d", "e", "f", "red", "green", "blue"};

// Pillow walks through the source in three ways: along rows and columns where the axes stay, in
// steps of 1/65536 pixel where all places are less than 32768 pixels away, else in doubles. They
// round differently, which shows in the bytes. Places of pixels are those of their middles.
struct Affine {
  double a, b, c, d, e, f;

  double x(double at_x, double at_y) const { return at_x * a + at_y * b + c; }
  double y(double at_x, double at_y) const { return at_x * d + at_y * e + f; }
};

uint32_t load(const uint8_t* pixel) {
  uint32_t value = 0;
  std::memcpy(&value, pixel, sizeof(value));
  return value;
}

void store(uint8_t* pixel, uint32_t value) {
  std::memcpy(pixel, &value, sizeof(value));
}

// The pixel that a coordinate lies in; -1 for what is before the first or far away.
int32_t pixel_at(double coordinate) {
  constexpr double kFar = std::numeric_limits<int32_t>::max();
  return coordinate >= 0 && coordinate < kFar ? static_cast<int32_t>(coordinate) : -1;
}

bool is_inside(int32_t x, int32_t size) {
  return static_cast<uint32_t>(x) < static_cast<uint32_t>(size);
}

// The columns of the source for those of the result, and which of them lie inside.
struct Columns {
  int32_t first = 0, end = 0;
  bool follow = true;  // each other, one by one
};

Columns find_columns(const ImageView& in, const Affine& m, int32_t* columns, int32_t count) {
  Columns found;
  double at = m.c + m.a * 0.5;
  for (int32_t x = 0; x < count; ++x, at += m.a) {
    columns[x] = pixel_at(at);
    if (!is_inside(columns[x], in.width)) {
      continue;
    }
    found.first = found.end == 0 ? x : found.first;
    found.follow &= x == found.first || columns[x] == columns[x - 1] + 1;
    found.end = x + 1;
  }
  return found;
}

void fill_row(uint8_t* to, int32_t first, int32_t end, uint32_t fill) {
  for (int32_t x = first; x < end; ++x) {
    store(to + static_cast<ptrdiff_t>(x) * 4, fill);
  }
}

void scale(const ImageView& in, const Affine& m, uint32_t fill, int32_t* columns,
           const ImageView& out) {
  const Columns inside = find_columns(in, m, columns, out.width);
  double at = m.f + m.e * 0.5;
  for (int32_t y = 0; y < out.height; ++y, at += m.e) {
    const int32_t row = pixel_at(at);
    uint8_t* to = out.row(y);
    if (!is_inside(row, in.height) || inside.first == inside.end) {
      fill_row(to, 0, out.width, fill);
      continue;
    }
    fill_row(to, 0, inside.first, fill);
    fill_row(to, inside.end, out.width, fill);
    const uint8_t* from = in.row(row);
    uint8_t* first = to + static_cast<ptrdiff_t>(inside.first) * 4;
    if (inside.follow) {
      std::memcpy(first, from + static_cast<ptrdiff_t>(columns[inside.first]) * 4,
                  static_cast<size_t>(inside.end - inside.first) * 4);
      continue;
    }
    for (int32_t x = inside.first; x < inside.end; ++x, first += 4) {
      store(first, load(from + static_cast<ptrdiff_t>(columns[x]) * 4));
    }
  }
}

bool is_near(const Affine& m, double width, double height) {
  constexpr double kNear = 32768;
  const auto near = [&](double x, double y) {
    return std::abs(m.x(x, y)) < kNear && std::abs(m.y(x, y)) < kNear;
  };
  return near(0, 0) && near(width, height) && near(0, height) && near(width, 0);
}

// Sums may wrap round after the last pixel of a row, where nothing is read any more.
uint32_t fixed_point(double value) {
  return static_cast<uint32_t>(static_cast<int64_t>(std::floor(value * 65536.0 + 0.5)));
}

void walk_fixed(const ImageView& in, const Affine& m, uint32_t fill, const ImageView& out) {
  const uint32_t right_x = fixed_point(m.a);
  const uint32_t right_y = fixed_point(m.d);
  uint32_t row_x = fixed_point(m.c + m.a * 0.5 + m.b * 0.5);
  uint32_t row_y = fixed_point(m.f + m.d * 0.5 + m.e * 0.5);
  for (int32_t y = 0; y < out.height; ++y) {
    uint8_t* to = out.row(y);
    uint32_t at_x = row_x;
    uint32_t at_y = row_y;
    for (int32_t x = 0; x < out.width; ++x, to += 4, at_x += right_x, at_y += right_y) {
      const int32_t column = static_cast<int32_t>(at_x) >> 16;
      const int32_t row = static_cast<int32_t>(at_y) >> 16;
      const bool inside = is_inside(column, in.width) && is_inside(row, in.height);
      store(to, inside ? load(in.row(row) + static_cast<ptrdiff_t>(column) * 4) : fill);
    }
    row_x += fixed_point(m.b);
    row_y += fixed_point(m.e);
  }
}

void walk(const ImageView& in, const Affine& m, uint32_t fill, const ImageView& out) {
  double row_x = m.c + m.b * 0.5 + m.a * 0.5;
  double row_y = m.f + m.e * 0.5 + m.d * 0.5;
  for (int32_t y = 0; y < out.height; ++y, row_x += m.b, row_y += m.e) {
    uint8_t* to = out.row(y);
    double at_x = row_x;
    double at_y = row_y;
    for (int32_t x = 0; x < out.width; ++x, to += 4, at_x += m.a, at_y += m.d) {
      const int32_t column = pixel_at(at_x);
      const int32_t row = pixel_at(at_y);
      const bool inside = is_inside(column, in.width) && is_inside(row, in.height);
      store(to, inside ? load(in.row(row) + static_cast<ptrdiff_t>(column) * 4) : fill);
    }
  }
}

void apply(const ImageView& rgbx, std::span<const double> v, PixelScratch& scratch) {
  const Affine m{v[0], v[1], v[2], v[3], v[4], v[5]};
  const uint8_t colour[4] = {static_cast<uint8_t>(v[6]), static_cast<uint8_t>(v[7]),
                             static_cast<uint8_t>(v[8]), 0};
  const uint32_t fill = load(colour);
  const size_t columns_bytes = static_cast<size_t>(rgbx.width) * sizeof(int32_t);
  const ImageView source = copy_of(rgbx, scratch, columns_bytes);
  if (m.b == 0 && m.d == 0) {
    // One number for each column fits behind the rows of four bytes a pixel.
    auto* columns = reinterpret_cast<int32_t*>(source.row(source.height));
    scale(source, m, fill, columns, rgbx);
  } else if (is_near(m, rgbx.width, rgbx.height)) {
    walk_fixed(source, m, fill, rgbx);
  } else {
    walk(source, m, fill, rgbx);
  }
}

}  // namespace

const PixelOp kAffine = {"affine", kArguments, apply};

}  // namespace stoker::image
