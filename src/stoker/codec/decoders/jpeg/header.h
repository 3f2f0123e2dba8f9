// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "stoker/codec/decoder.h"

namespace stoker::codec::jpeg {

constexpr uint8_t kSof0 = 0xC0, kSof1 = 0xC1, kDht = 0xC4, kRst0 = 0xD0, kSoi = 0xD8, kEoi = 0xD9,
                  kSos = 0xDA, kDqt = 0xDB, kDri = 0xDD, kApp0 = 0xE0, kApp14 = 0xEE, kApp15 = 0xEF,
                  kCom = 0xFE;

struct Component {
  uint8_t id = 0;
  uint8_t h = 1, v = 1;  // sampling factors
  uint8_t quantisation = 0;
  uint8_t dc = 0, ac = 0;  // which Huffman tables
};

// A Huffman table as a file has it: how many codes of each length, and their symbols.
struct HuffmanCode {
  Bytes counts, symbols;
  bool usable = false;  // libjpeg accepts it
};

// What stands before the first scan of a JPEG. Spans point into the file.
struct Header {
  uint8_t frame_marker = 0;
  uint32_t width = 0, height = 0;
  uint32_t restart_interval = 0;
  size_t component_count = 0;
  std::array<Component, 3> components;
  uint8_t max_h = 1, max_v = 1;
  std::array<HuffmanCode, 8> huffman;  // DC 0..3, then AC 0..3
  std::array<Bytes, 4> quantisation;   // 64 values each; empty where there is none
  Bytes jfif, adobe;                   // what libjpeg reads of these segments
  size_t scan_begin = 0;               // of the entropy-coded data

  // A scan of one component ignores its sampling factors.
  uint32_t mcu_width() const { return component_count == 1 ? 8U : 8U * max_h; }
  uint32_t mcu_height() const { return component_count == 1 ? 8U : 8U * max_v; }
  uint32_t blocks_of(size_t component) const {  // in an MCU
    return component_count == 1 ? 1U : uint32_t{components[component].h} * components[component].v;
  }
  uint32_t mcus_x() const { return (width + mcu_width() - 1) / mcu_width(); }
  uint32_t mcus_y() const { return (height + mcu_height() - 1) / mcu_height(); }
};

// Reads the header of a file whose first scan is sequential, Huffman-coded, of 1 or 3 components,
// all of them, with tables and sizes that libjpeg accepts; false in any other case, and in doubt.
bool read_header(Bytes data, Header& header);

}  // namespace stoker::codec::jpeg
