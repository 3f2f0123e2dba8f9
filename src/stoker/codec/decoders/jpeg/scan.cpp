// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/scan.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace stoker::codec::jpeg {
namespace {

constexpr uint8_t kSof0 = 0xC0, kSof1 = 0xC1, kDht = 0xC4, kRst0 = 0xD0, kSoi = 0xD8, kEoi = 0xD9,
                  kSos = 0xDA, kDqt = 0xDB, kDri = 0xDD, kApp0 = 0xE0, kApp15 = 0xEF, kCom = 0xFE;
constexpr uint32_t kMaxDimension = 65500;  // JPEG_MAX_DIMENSION
constexpr int kMaxBlocksInMcu = 10;

struct Component {
  uint8_t id = 0;
  int h = 1, v = 1;
  uint8_t quantisation = 0;
};

uint32_t read_u16(Bytes data, size_t at) {
  return static_cast<uint32_t>(data[at]) << 8 | data[at + 1];
}

uint32_t ceil_div(uint32_t a, uint32_t b) {
  return (a + b - 1) / b;
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

class Checker {
 public:
  explicit Checker(Bytes data) : data_(data) {}

  // Where the picture ends, or 0.
  size_t run() {
    if (data_.size() < 4 || data_[0] != 0xFF || data_[1] != kSoi) {
      return 0;
    }
    size_t at = 2;
    while (at + 4 <= data_.size()) {
      if (data_[at] != 0xFF) {
        return 0;
      }
      if (data_[at + 1] == 0xFF) {  // a fill byte
        ++at;
        continue;
      }
      const uint8_t marker = data_[at + 1];
      const size_t length = read_u16(data_, at + 2);
      if (length < 2 || at + 2 + length > data_.size()) {
        return 0;
      }
      const Bytes body = data_.subspan(at + 4, length - 2);
      if (!segment(marker, body)) {
        return 0;
      }
      at += 2 + length;
      if (marker == kSos) {
        return entropy_coded(at);
      }
    }
    return 0;
  }

 private:
  bool segment(uint8_t marker, Bytes body) {
    switch (marker) {
      case kSof0:
      case kSof1:
        return frame(body);
      case kDht:
        return huffman_tables(body);
      case kDqt:
        return quantisation_tables(body);
      case kSos:
        return scan_header(body);
      case kDri:
        restart_interval_ = body.size() == 2 ? read_u16(body, 0) : 0;
        return body.size() == 2;
      default:
        return (marker >= kApp0 && marker <= kApp15) || marker == kCom;
    }
  }

  bool frame(Bytes body) {
    if (component_count_ != 0 || body.size() < 6 || body[0] != 8) {
      return false;
    }
    height_ = read_u16(body, 1);
    width_ = read_u16(body, 3);
    component_count_ = body[5];
    if ((component_count_ != 1 && component_count_ != 3) ||
        body.size() != 6 + 3 * component_count_ || width_ == 0 || height_ == 0 ||
        std::max(width_, height_) > kMaxDimension) {
      return false;
    }
    for (size_t i = 0; i < component_count_; ++i) {
      const size_t at = 6 + 3 * i;
      components_[i] = {body[at], body[at + 1] >> 4, body[at + 1] & 15, body[at + 2]};
    }
    return sampling_is_supported();
  }

  bool sampling_is_supported() {
    int blocks = 0;
    for (size_t i = 0; i < component_count_; ++i) {
      const Component& c = components_[i];
      if (c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4) {
        return false;
      }
      for (size_t other = 0; other < i; ++other) {
        if (components_[other].id == c.id) {
          return false;
        }
      }
      max_h_ = std::max(max_h_, c.h);
      max_v_ = std::max(max_v_, c.v);
      blocks += c.h * c.v;
    }
    for (size_t i = 0; i < component_count_; ++i) {
      if (max_h_ % components_[i].h != 0 || max_v_ % components_[i].v != 0) {
        return false;
      }
    }
    return component_count_ == 1 || blocks <= kMaxBlocksInMcu;
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
      huffman_[table_class * 4 + id] = values_fit && code_lengths_fit(body.subspan(1, 16));
      body = body.subspan(17 + symbols);
    }
    return true;
  }

  bool quantisation_tables(Bytes body) {
    while (!body.empty()) {
      if (body.size() < 65 || body[0] > 3) {
        return false;
      }
      quantisation_[body[0]] = true;
      body = body.subspan(65);
    }
    return true;
  }

  bool scan_header(Bytes body) {
    if (component_count_ == 0 || body.size() != 4 + 2 * component_count_ ||
        body[0] != component_count_) {
      return false;
    }
    for (size_t i = 0; i < component_count_; ++i) {
      const size_t dc = body[2 + 2 * i] >> 4;
      const size_t ac = body[2 + 2 * i] & 15;
      const uint8_t quantisation = components_[i].quantisation;
      if (body[1 + 2 * i] != components_[i].id || dc > 3 || ac > 3 || !huffman_[dc] ||
          !huffman_[4 + ac] || quantisation > 3 || !quantisation_[quantisation]) {
        return false;
      }
    }
    const size_t at = 1 + 2 * component_count_;
    return body[at] == 0 && body[at + 1] == 63 && body[at + 2] == 0;
  }

  uint64_t expected_restarts() const {
    if (restart_interval_ == 0) {
      return 0;
    }
    // A scan of one component ignores its sampling factors.
    const auto h = component_count_ == 1 ? 1U : static_cast<uint32_t>(max_h_);
    const auto v = component_count_ == 1 ? 1U : static_cast<uint32_t>(max_v_);
    const uint64_t mcus = uint64_t{ceil_div(width_, 8 * h)} * ceil_div(height_, 8 * v);
    return (mcus - 1) / restart_interval_;
  }

  // Where the end marker ends, or 0.
  size_t entropy_coded(size_t at) const {
    const uint8_t* p = data_.data() + at;
    const uint8_t* const end = data_.data() + data_.size();
    const uint64_t expected = expected_restarts();
    uint64_t restarts = 0;
    while (p < end) {
      p = static_cast<const uint8_t*>(std::memchr(p, 0xFF, static_cast<size_t>(end - p)));
      if (p == nullptr || p + 1 >= end) {
        return 0;
      }
      const uint8_t code = p[1];
      p += 2;
      if (code == 0) {
        continue;
      }
      if (code == kEoi) {
        return restarts == expected ? static_cast<size_t>(p - data_.data()) : 0;
      }
      if (restarts == expected || code != kRst0 + restarts % 8) {
        return 0;
      }
      ++restarts;
    }
    return 0;
  }

  Bytes data_;
  uint32_t width_ = 0, height_ = 0, restart_interval_ = 0;
  size_t component_count_ = 0;
  int max_h_ = 1, max_v_ = 1;
  std::array<Component, 3> components_;
  std::array<bool, 8> huffman_{};  // usable tables: DC 0..3, then AC 0..3
  std::array<bool, 4> quantisation_{};
};

}  // namespace

size_t clean_end(Bytes data) {
  return Checker(data).run();
}

}  // namespace stoker::codec::jpeg
