// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/header.h"

#include <algorithm>

namespace stoker::codec::jpeg {
namespace {

constexpr uint32_t kMaxDimension = 65500;  // JPEG_MAX_DIMENSION
constexpr int kMaxBlocksInMcu = 10;
// Segments that say which colours the components are; libjpeg reads this much of them.
constexpr size_t kJfifBytes = 14, kAdobeBytes = 12;
constexpr std::array<uint8_t, 5> kJfifName = {'J', 'F', 'I', 'F', 0};
constexpr std::array<uint8_t, 5> kAdobeName = {'A', 'd', 'o', 'b', 'e'};

bool starts_with(Bytes body, const std::array<uint8_t, 5>& name) {
  return std::equal(name.begin(), name.end(), body.begin());
}

uint32_t read_u16(Bytes data, size_t at) {
  return static_cast<uint32_t>(data[at]) << 8 | data[at + 1];
}

// Do the code lengths leave the all-ones code free, as libjpeg demands when it builds a table?
bool code_lengths_fit(Bytes counts) {
  uint32_t left = 0;
  for (const uint8_t count : counts) {
    left += count;
  }
  uint32_t code = 0;
  for (uint32_t length = 1; length <= 16 && left > 0; ++length) {
    code += counts[length - 1];
    left -= counts[length - 1];
    if (code >= (1U << length)) {
      return false;
    }
    code <<= 1;
  }
  return true;
}

class Reader {
 public:
  Reader(Bytes data, Header& header) : data_(data), h_(header) {}

  bool run() {
    if (data_.size() < 4 || data_[0] != 0xFF || data_[1] != kSoi) {
      return false;
    }
    size_t at = 2;
    while (at + 4 <= data_.size()) {
      if (data_[at] != 0xFF) {
        return false;
      }
      if (data_[at + 1] == 0xFF) {  // a fill byte
        ++at;
        continue;
      }
      const uint8_t marker = data_[at + 1];
      const size_t length = read_u16(data_, at + 2);
      if (length < 2 || at + 2 + length > data_.size()) {
        return false;
      }
      const Bytes body = data_.subspan(at + 4, length - 2);
      if (!segment(marker, body)) {
        return false;
      }
      at += 2 + length;
      if (marker == kSos) {
        h_.scan_begin = at;
        return true;
      }
    }
    return false;
  }

 private:
  bool segment(uint8_t marker, Bytes body) {
    switch (marker) {
      case kSof0:
      case kSof1:
        h_.frame_marker = marker;
        return frame(body);
      case kDht:
        return huffman_tables(body);
      case kDqt:
        return quantisation_tables(body);
      case kSos:
        return scan_header(body);
      case kDri:
        h_.restart_interval = body.size() == 2 ? read_u16(body, 0) : 0;
        return body.size() == 2;
      case kApp0:
        if (body.size() >= kJfifBytes && starts_with(body, kJfifName)) {
          h_.jfif = body.first(kJfifBytes);
        }
        return true;
      case kApp14:
        if (body.size() >= kAdobeBytes && starts_with(body, kAdobeName)) {
          h_.adobe = body.first(kAdobeBytes);
        }
        return true;
      default:
        return (marker >= kApp0 && marker <= kApp15) || marker == kCom;
    }
  }

  bool frame(Bytes body) {
    if (h_.component_count != 0 || body.size() < 6 || body[0] != 8) {
      return false;
    }
    h_.height = read_u16(body, 1);
    h_.width = read_u16(body, 3);
    h_.component_count = body[5];
    if ((h_.component_count != 1 && h_.component_count != 3) ||
        body.size() != 6 + 3 * h_.component_count || h_.width == 0 || h_.height == 0 ||
        std::max(h_.width, h_.height) > kMaxDimension) {
      return false;
    }
    for (size_t i = 0; i < h_.component_count; ++i) {
      const size_t at = 6 + 3 * i;
      h_.components[i].id = body[at];
      h_.components[i].h = body[at + 1] >> 4;
      h_.components[i].v = body[at + 1] & 15;
      h_.components[i].quantisation = body[at + 2];
    }
    return sampling_is_supported();
  }

  bool sampling_is_supported() {
    int blocks = 0;
    for (size_t i = 0; i < h_.component_count; ++i) {
      const Component& c = h_.components[i];
      if (c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4) {
        return false;
      }
      for (size_t other = 0; other < i; ++other) {
        if (h_.components[other].id == c.id) {
          return false;
        }
      }
      h_.max_h = std::max(h_.max_h, c.h);
      h_.max_v = std::max(h_.max_v, c.v);
      blocks += c.h * c.v;
    }
    for (size_t i = 0; i < h_.component_count; ++i) {
      if (h_.max_h % h_.components[i].h != 0 || h_.max_v % h_.components[i].v != 0) {
        return false;
      }
    }
    return h_.component_count == 1 || blocks <= kMaxBlocksInMcu;
  }

  bool huffman_tables(Bytes body) {
    while (!body.empty()) {
      if (body.size() < 17) {
        return false;
      }
      const size_t table_class = body[0] >> 4;
      const size_t id = body[0] & 15;
      size_t symbols = 0;
      for (size_t i = 1; i <= 16; ++i) {
        symbols += body[i];
      }
      if (table_class > 1 || id > 3 || symbols > 256 || body.size() < 17 + symbols) {
        return false;
      }
      const Bytes values = body.subspan(17, symbols);
      const bool values_fit = table_class == 1 || std::all_of(values.begin(), values.end(),
                                                              [](uint8_t v) { return v < 16; });
      const Bytes counts = body.subspan(1, 16);
      h_.huffman[table_class * 4 + id] = {counts, values, values_fit && code_lengths_fit(counts)};
      body = body.subspan(17 + symbols);
    }
    return true;
  }

  bool quantisation_tables(Bytes body) {
    while (!body.empty()) {
      if (body.size() < 65 || body[0] > 3) {
        return false;
      }
      h_.quantisation[body[0]] = body.subspan(1, 64);
      body = body.subspan(65);
    }
    return true;
  }

  bool scan_header(Bytes body) {
    if (h_.component_count == 0 || body.size() != 4 + 2 * h_.component_count ||
        body[0] != h_.component_count) {
      return false;
    }
    for (size_t i = 0; i < h_.component_count; ++i) {
      const size_t dc = body[2 + 2 * i] >> 4;
      const size_t ac = body[2 + 2 * i] & 15;
      const uint8_t quantisation = h_.components[i].quantisation;
      if (body[1 + 2 * i] != h_.components[i].id || dc > 3 || ac > 3 || !h_.huffman[dc].usable ||
          !h_.huffman[4 + ac].usable || quantisation > 3 || h_.quantisation[quantisation].empty()) {
        return false;
      }
      h_.components[i].dc = static_cast<uint8_t>(dc);
      h_.components[i].ac = static_cast<uint8_t>(ac);
    }
    const size_t at = 1 + 2 * h_.component_count;
    return body[at] == 0 && body[at + 1] == 63 && body[at + 2] == 0;
  }

  Bytes data_;
  Header& h_;
};

}  // namespace

bool read_header(Bytes data, Header& header) {
  header = {};
  return Reader(data, header).run();
}

}  // namespace stoker::codec::jpeg
