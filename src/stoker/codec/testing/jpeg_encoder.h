// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stoker/codec/libjpeg.h"

// Makes JPEGs for tests, benches and fuzz seeds. Any libjpeg error ends the program.
namespace stoker::codec::testing {

struct JpegSpec {
  int width = 64, height = 64;
  int components = 3;  // 1 grey, 3 YCbCr, 4 CMYK
  // Horizontal and vertical sampling factor of each component.
  std::vector<std::pair<int, int>> sampling = {{2, 2}, {1, 1}, {1, 1}};
  int quality = 90;
  bool progressive = false;
  bool arithmetic = false;
  bool optimize = false;
  bool rgb = false;          // stored as RGB, not YCbCr
  int restart_interval = 0;  // in MCUs
  bool several_scans = false;
  uint32_t seed = 1;
};

// Smooth waves with noise on top, so that neighbours matter and no two places look alike.
inline std::vector<uint8_t> test_pixels(int width, int height, int channels, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> pixels(static_cast<size_t>(width) * static_cast<size_t>(height) *
                              static_cast<size_t>(channels));
  const int slope = static_cast<int>(random() % 7) + 1;
  size_t at = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const int wave = (x * (slope + c) + y * (3 + slope * c) + (x * y) / 16) % 511;
        const int noise = static_cast<int>(random() % 48);
        pixels[at++] = static_cast<uint8_t>(std::clamp(std::abs(wave - 255) - 24 + noise, 0, 255));
      }
    }
  }
  return pixels;
}

inline std::vector<uint8_t> encode(const JpegSpec& spec) {
  const std::vector<uint8_t> pixels =
      test_pixels(spec.width, spec.height, spec.components, spec.seed);
  jpeg_compress_struct cinfo{};
  jpeg_error_mgr error{};
  cinfo.err = jpeg_std_error(&error);
  jpeg_create_compress(&cinfo);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&cinfo, &buffer, &size);
  cinfo.image_width = static_cast<JDIMENSION>(spec.width);
  cinfo.image_height = static_cast<JDIMENSION>(spec.height);
  cinfo.input_components = spec.components;
  const std::array<J_COLOR_SPACE, 5> spaces = {JCS_UNKNOWN, JCS_GRAYSCALE, JCS_UNKNOWN, JCS_RGB,
                                               JCS_CMYK};
  cinfo.in_color_space = spaces[static_cast<size_t>(spec.components)];
  jpeg_set_defaults(&cinfo);
  if (spec.rgb) {
    jpeg_set_colorspace(&cinfo, JCS_RGB);
  }
  jpeg_set_quality(&cinfo, spec.quality, TRUE);
  for (int i = 0; i < spec.components && i < static_cast<int>(spec.sampling.size()); ++i) {
    cinfo.comp_info[i].h_samp_factor = spec.sampling[static_cast<size_t>(i)].first;
    cinfo.comp_info[i].v_samp_factor = spec.sampling[static_cast<size_t>(i)].second;
  }
  cinfo.optimize_coding = spec.optimize ? TRUE : FALSE;
  cinfo.arith_code = spec.arithmetic ? TRUE : FALSE;
  cinfo.restart_interval = static_cast<unsigned>(spec.restart_interval);
  if (spec.progressive) {
    jpeg_simple_progression(&cinfo);
  }
  std::array<jpeg_scan_info, 4> scans{};
  if (spec.several_scans) {
    for (int i = 0; i < spec.components; ++i) {
      scans[static_cast<size_t>(i)] = {1, {i, 0, 0, 0}, 0, 63, 0, 0};
    }
    cinfo.scan_info = scans.data();
    cinfo.num_scans = spec.components;
  }
  jpeg_start_compress(&cinfo, TRUE);
  const size_t row_bytes = static_cast<size_t>(spec.width) * static_cast<size_t>(spec.components);
  std::vector<uint8_t> row(row_bytes);
  while (cinfo.next_scanline < cinfo.image_height) {
    std::memcpy(row.data(), pixels.data() + cinfo.next_scanline * row_bytes, row_bytes);
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&cinfo, rows, 1);
  }
  jpeg_finish_compress(&cinfo);
  std::vector<uint8_t> out(buffer, buffer + size);
  jpeg_destroy_compress(&cinfo);
  std::free(buffer);
  return out;
}

// RGB pixels of the whole image (grey replicated) by a fresh libjpeg object, with default settings
// and libjpeg's own memory source: what the decoder is held against. Empty after a libjpeg warning.
inline std::vector<uint8_t> decode_plainly(const std::vector<uint8_t>& data) {
  jpeg_decompress_struct cinfo{};
  jpeg_error_mgr error{};
  cinfo.err = jpeg_std_error(&error);
  error.emit_message = [](j_common_ptr c, int level) { c->err->num_warnings += level < 0 ? 1 : 0; };
  jpeg_create_decompress(&cinfo);
  jpeg_mem_src(&cinfo, data.data(), static_cast<unsigned long>(data.size()));
  jpeg_read_header(&cinfo, TRUE);
  cinfo.out_color_space = JCS_RGB;
  jpeg_start_decompress(&cinfo);
  const size_t row_bytes = size_t{cinfo.output_width} * 3;
  std::vector<uint8_t> out(row_bytes * cinfo.output_height);
  while (cinfo.output_scanline < cinfo.output_height) {
    JSAMPROW rows[] = {out.data() + cinfo.output_scanline * row_bytes};
    jpeg_read_scanlines(&cinfo, rows, 1);
  }
  jpeg_finish_decompress(&cinfo);
  if (error.num_warnings != 0) {
    out.clear();
  }
  jpeg_destroy_decompress(&cinfo);
  return out;
}

}  // namespace stoker::codec::testing
