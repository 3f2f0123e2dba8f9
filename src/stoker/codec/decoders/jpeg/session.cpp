// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/session.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "stoker/codec/check_request.h"

namespace stoker::codec::jpeg {
namespace {

// A crop begins at a border of MCUs, up to 32 pixels to the left, and with one pixel of margin.
constexpr size_t kMaxSkippedBytes = size_t{4} * 40;
// Narrower windows would change how libjpeg treats the edges of subsampled chroma.
constexpr int32_t kMinWindow = 8;

J_COLOR_SPACE colour_space_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::Grey:
      return JCS_GRAYSCALE;
    case PixelFormat::Rgb:
      return JCS_EXT_RGB;
    case PixelFormat::Rgbx:
      break;
  }
  return JCS_EXT_RGBX;
}

}  // namespace

Session::Session() {
  cinfo_.err = error_.install();
  if (!guarded(error_, [this] { jpeg_create_decompress(&cinfo_); })) {
    throw std::bad_alloc();
  }
  hooks_.install(cinfo_);
  init_memory_source(source_);
  cinfo_.src = &source_;
}

Session::~Session() {
  jpeg_destroy_decompress(&cinfo_);
}

Status Session::read_header(Bytes data) {
  jpeg_abort_decompress(&cinfo_);
  set_memory(source_, data);
  if (!guarded(error_, [this] { jpeg_read_header(&cinfo_, TRUE); })) {
    return error_.failure();
  }
  return {};
}

Status Session::decode(const DecodeRequest& request, bool partial, const ImageView& out) {
  const int32_t pixel_bytes = channels_of(request.format);
  row_.resize(static_cast<size_t>(width()) * static_cast<size_t>(pixel_bytes));
  const bool done = guarded(error_, [&] {
    start(request.format);
    if (partial) {
      read_part(request.region, pixel_bytes, out);
    } else {
      read_whole(request.region, pixel_bytes, out);
    }
  });
  jpeg_abort_decompress(&cinfo_);
  return done ? Status() : error_.failure();
}

// The settings of Pillow: accurate DCT, smooth upsampling, block smoothing.
void Session::start(PixelFormat format) {
  cinfo_.out_color_space = colour_space_of(format);
  cinfo_.dct_method = JDCT_ISLOW;
  cinfo_.do_fancy_upsampling = TRUE;
  cinfo_.do_block_smoothing = TRUE;
  jpeg_start_decompress(&cinfo_);
}

// One pixel more on each side, because smooth upsampling looks at the neighbours.
void Session::read_part(const Region& region, int32_t pixel_bytes, const ImageView& out) {
  int32_t x0 = std::max(0, region.x0 - 1);
  int32_t x1 = std::min(width(), region.x1 + 1);
  x0 = std::max(0, std::min(x0, x1 - kMinWindow));
  x1 = std::min(width(), std::max(x1, x0 + kMinWindow));
  auto offset = static_cast<JDIMENSION>(x0);
  auto window = static_cast<JDIMENSION>(x1 - x0);
  jpeg_crop_scanline(&cinfo_, &offset, &window);
  if (region.y0 > 0) {
    jpeg_skip_scanlines(&cinfo_, static_cast<JDIMENSION>(region.y0));
  }
  read_rows(region.y1, region, region.x0 - static_cast<int32_t>(offset), pixel_bytes, out);
}

void Session::read_whole(const Region& region, int32_t pixel_bytes, const ImageView& out) {
  read_rows(height(), region, region.x0, pixel_bytes, out);
  jpeg_finish_decompress(&cinfo_);
}

// Reads rows up to `y_end` and keeps those of the region. `x_offset`: the region's left edge in
// the rows that libjpeg gives.
void Session::read_rows(int32_t y_end, const Region& region, int32_t x_offset, int32_t pixel_bytes,
                        const ImageView& out) {
  const size_t row_bytes = size_t{cinfo_.output_width} * static_cast<size_t>(pixel_bytes);
  const size_t skipped = static_cast<size_t>(x_offset) * static_cast<size_t>(pixel_bytes);
  const size_t kept = static_cast<size_t>(region.width()) * static_cast<size_t>(pixel_bytes);
  // Most rows are read where they belong, although libjpeg's are a little longer: what they cover
  // of the row above is put back, and of the row below is still to come.
  uint8_t above[kMaxSkippedBytes];
  const bool in_place = out.stride_bytes == kept && skipped <= std::min(kept, kMaxSkippedBytes) &&
                        row_bytes - skipped <= 2 * kept;
  for (auto y = static_cast<int32_t>(cinfo_.output_scanline); y < y_end; ++y) {
    if (in_place && y > region.y0 && y + 1 < region.y1) {
      uint8_t* const begin = out.row(y - region.y0) - skipped;
      std::memcpy(above, begin, skipped);
      read_row(begin);
      std::memcpy(begin, above, skipped);
      continue;
    }
    read_row(row_.data());
    if (y >= region.y0 && y < region.y1) {
      std::memcpy(out.row(y - region.y0), row_.data() + skipped, kept);
    }
  }
}

// No data are missing here: a source that runs dry is an error.
void Session::read_row(uint8_t* row) {
  JSAMPROW rows[] = {row};
  if (jpeg_read_scanlines(&cinfo_, rows, 1) != 1) {
    ERREXIT(&cinfo_, JERR_INPUT_EOF);
  }
}

}  // namespace stoker::codec::jpeg
