// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/small_jpeg.h"

#include <algorithm>
#include <cstring>

namespace stoker::codec::jpeg {
namespace {

constexpr size_t kEndMarkerBytes = 2;
constexpr uint32_t kBlockSize = 8;
// Narrower files would be upsampled in another way.
constexpr uint32_t kMinWidth = 8;
// libjpeg's fast Huffman decoder wants this much behind each MCU, for each of its blocks.
constexpr size_t kTailBytesOfBlock = 512;
// Behind a segment: bits of one block may be read before their lack is noticed.
constexpr size_t kReadAheadBytes = size_t{64} * 4 + Bits::kSlackBytes;

struct Span {
  uint32_t begin, end;
};

// The MCUs along one axis that the pixels `first` to `last` depend on, with the neighbours that
// smooth upsampling looks at.
Span mcus_of(uint32_t first, uint32_t last, uint32_t length, bool halved) {
  if (halved) {
    const uint32_t samples = (length + 1) / 2;
    const uint32_t half = first / 2;
    first = first % 2 == 0 && half > 0 ? half - 1 : half;
    last = std::min(last / 2 + last % 2, samples - 1);
  }
  return {first / kBlockSize, last / kBlockSize + 1};
}

}  // namespace

bool SmallJpeg::open(Bytes data, Bytes entry) {
  data_ = data;
  return points_.open(entry, head_) && head_.file_bytes == data.size() &&
         head_.end_bytes <= data.size() && head_.file_hash == hash_of(data) &&
         read_header(data, header_) && is_indexable(header_) &&
         head_.end_bytes >= header_.scan_begin + kEndMarkerBytes;
}

bool SmallJpeg::build(const Region& region) {
  const Window window = window_of(region);
  if (!read_segments(window) || !pays() || !prepare_codes()) {
    return false;
  }
  constexpr size_t kHeaderBytes = 2048;
  size_t scan_bytes = 0;
  for (const Segment& segment : segments_) {
    scan_bytes += (segment.end.bit - segment.begin.bit) / 8 + BitWriter::kSlackBytes;
  }
  size_t blocks = 0;
  for (size_t i = 0; i < header_.component_count; ++i) {
    blocks += header_.blocks_of(i);
  }
  const size_t tail_bytes = blocks * kTailBytesOfBlock;
  uint8_t* const begin = out_.resize(kHeaderBytes + 2 * scan_bytes + tail_bytes);
  uint8_t* out = write_header(window, begin);
  if (!write_scan(out)) {
    return false;
  }
  *out++ = 0xFF;
  *out++ = kEoi;
  std::memset(out, 0, tail_bytes);
  file_bytes_ = static_cast<size_t>(out - begin) + tail_bytes;
  const auto x = static_cast<int32_t>(window.x0 * header_.mcu_width());
  const auto y = static_cast<int32_t>(window.y0 * header_.mcu_height());
  region_ = {region.x0 - x, region.y0 - y, region.x1 - x, region.y1 - y};
  return true;
}

SmallJpeg::Window SmallJpeg::window_of(const Region& region) const {
  const Span x = mcus_of(static_cast<uint32_t>(region.x0), static_cast<uint32_t>(region.x1 - 1),
                         header_.width, header_.mcu_width() != kBlockSize);
  const Span y = mcus_of(static_cast<uint32_t>(region.y0), static_cast<uint32_t>(region.y1 - 1),
                         header_.height, header_.mcu_height() != kBlockSize);
  const uint32_t columns = head_.columns;
  uint32_t x0 = x.begin / columns * columns;
  if (x0 > 0 && header_.width - x0 * header_.mcu_width() < kMinWidth) {
    x0 -= columns;
  }
  const uint64_t x1 = (uint64_t{x.end} + columns - 1) / columns * columns;
  return {x0, static_cast<uint32_t>(std::min<uint64_t>(x1, header_.mcus_x())), y.begin, y.end};
}

// Whole rows of MCUs are one segment, otherwise each row has its own.
bool SmallJpeg::read_segments(const Window& window) {
  segments_.clear();
  const uint32_t columns = head_.columns;
  const uint32_t points_of_row = (header_.mcus_x() - 1) / columns + 1;
  const uint32_t first = window.x0 / columns;
  const uint32_t last = window.x1 == header_.mcus_x() ? points_of_row : window.x1 / columns;
  const bool whole_rows = first == 0 && last == points_of_row;
  const uint64_t scan_bits = 8 * (uint64_t{head_.end_bytes} - kEndMarkerBytes - header_.scan_begin);
  EntryReader points = points_;
  ScanPoint point;
  if (!points.next(header_.component_count, point)) {
    return false;
  }
  Segment segment;
  for (uint32_t y = 0; y < window.y1; ++y) {
    for (uint32_t i = 0; i < points_of_row; ++i) {
      if (i == first) {
        segment.begin = point;
      }
      if (!points.next(header_.component_count, point) || point.bit > scan_bits) {
        return false;
      }
      if (i + 1 == last) {
        segment.end = point;
      }
    }
    if (y < window.y0) {
      continue;
    }
    if (whole_rows && !segments_.empty()) {
      segments_.back().end = segment.end;
    } else {
      segments_.push_back(segment);
    }
  }
  return true;
}

// The other way decodes everything up to the last row; this one copies what it decodes.
bool SmallJpeg::pays() const {
  uint64_t bits = 0;
  for (const Segment& segment : segments_) {
    bits += segment.end.bit - segment.begin.bit;
  }
  const uint64_t other_bits = segments_.back().end.bit;
  return bits + bits / 16 < other_bits;
}

bool SmallJpeg::prepare_codes() {
  walker_.build(header_);
  std::array<bool, 4> built{};
  for (size_t i = 0; i < header_.component_count; ++i) {
    const size_t table = header_.components[i].dc;
    if (!built[table] && !dc_codes_[table].build(header_.huffman[table])) {
      return false;
    }
    built[table] = true;
  }
  return true;
}

bool SmallJpeg::write_scan(uint8_t*& out) {
  BitWriter writer(out);
  std::array<int32_t, 3> predicted{};
  for (const Segment& segment : segments_) {
    std::array<int32_t, 3> shift{};
    for (size_t i = 0; i < shift.size(); ++i) {
      shift[i] = segment.begin.dc[i] - predicted[i];
    }
    if (!write_segment(segment, shift, writer)) {
      return false;
    }
    predicted = segment.end.dc;
  }
  out = writer.finish();
  return true;
}

bool SmallJpeg::write_segment(const Segment& segment, const std::array<int32_t, 3>& shift,
                              BitWriter& out) {
  const size_t first = segment.begin.bit / 8;
  const size_t last = segment.end.bit / 8;
  const auto last_bits = static_cast<size_t>(segment.end.bit % 8);
  const uint8_t* const scan = data_.data() + header_.scan_begin;
  uint8_t* const plain = plain_.resize(last - first + 1 + kReadAheadBytes);
  uint8_t* const plain_end = unstuff(scan + first, last - first, plain);
  // What is read ahead is something definite, and not bits of an earlier image.
  std::memset(plain_end, 0, kReadAheadBytes);
  if (last_bits != 0) {
    *plain_end = scan[last];
  }
  const Bits bits(plain);
  const size_t end = 8 * static_cast<size_t>(plain_end - plain) + last_bits;
  auto at = static_cast<size_t>(segment.begin.bit % 8);
  if (!write_shifted(shift, bits, at, end, out)) {
    return false;
  }
  out.copy(bits, at, end);
  return true;
}

// Writes the first MCU up to the last DC difference that changes, and moves `at` behind it.
bool SmallJpeg::write_shifted(const std::array<int32_t, 3>& shift, const Bits& bits, size_t& at,
                              size_t end, BitWriter& out) const {
  size_t components = header_.component_count;
  while (components > 0 && shift[components - 1] == 0) {
    --components;
  }
  size_t read = at;
  for (size_t c = 0; c < components; ++c) {
    const uint32_t blocks = header_.blocks_of(c);
    for (uint32_t i = 0; i < blocks; ++i) {
      const size_t begin = read;
      int32_t difference = 0;
      if (!walker_.read_dc(bits, c, read, difference) || read > end) {
        return false;
      }
      if (i == 0 && shift[c] != 0) {
        out.copy(bits, at, begin);
        if (!dc_codes_[header_.components[c].dc].write(difference + shift[c], out)) {
          return false;
        }
        at = read;
      }
      if (c + 1 == components) {
        break;
      }
      if (!walker_.skip_ac(bits, c, read) || read > end) {
        return false;
      }
    }
  }
  return at <= end;
}

}  // namespace stoker::codec::jpeg
