// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stoker/codec/decoders/jpeg/small_jpeg.h"

namespace stoker::codec::jpeg {
namespace {

class SegmentWriter {
 public:
  explicit SegmentWriter(uint8_t* out) : out_(out) {}
  void marker(uint8_t code) {
    byte(0xFF);
    byte(code);
  }
  // A marker with `size` bytes to follow.
  void segment(uint8_t code, size_t size) {
    marker(code);
    u16(static_cast<uint32_t>(size + 2));
  }
  void byte(size_t value) { *out_++ = static_cast<uint8_t>(value); }
  void u16(uint32_t value) {
    byte(value >> 8);
    byte(value & 255);
  }
  void bytes(Bytes data) { out_ = std::copy(data.begin(), data.end(), out_); }
  void table(size_t id, Bytes counts, Bytes symbols) {
    segment(kDht, 1 + counts.size() + symbols.size());
    byte(id);
    bytes(counts);
    bytes(symbols);
  }
  uint8_t* end() const { return out_; }

 private:
  uint8_t* out_;
};

void write_colours(const Header& header, SegmentWriter& out) {
  if (!header.jfif.empty()) {
    out.segment(kApp0, header.jfif.size());
    out.bytes(header.jfif);
  }
  if (!header.adobe.empty()) {
    out.segment(kApp14, header.adobe.size());
    out.bytes(header.adobe);
  }
}

// A scan of one component ignores its sampling factors, so they become 1.
void write_frame(const Header& header, uint32_t width, uint32_t height, SegmentWriter& out) {
  out.segment(kSof0, 6 + 3 * header.component_count);
  out.byte(8);
  out.u16(height);
  out.u16(width);
  out.byte(header.component_count);
  for (size_t i = 0; i < header.component_count; ++i) {
    const Component& c = header.components[i];
    out.byte(c.id);
    out.byte(header.component_count == 1 ? 0x11U : size_t{c.h} << 4 | c.v);
    out.byte(c.quantisation);
  }
}

void write_scan_header(const Header& header, SegmentWriter& out) {
  out.segment(kSos, 4 + 2 * header.component_count);
  out.byte(header.component_count);
  for (size_t i = 0; i < header.component_count; ++i) {
    const Component& c = header.components[i];
    out.byte(c.id);
    out.byte(size_t{c.dc} << 4 | c.ac);
  }
  out.byte(0);
  out.byte(63);
  out.byte(0);
}

}  // namespace

uint8_t* SmallJpeg::write_header(const Window& window, uint8_t* begin) const {
  const uint32_t x = window.x0 * header_.mcu_width();
  const uint32_t y = window.y0 * header_.mcu_height();
  const uint32_t width = std::min(header_.width, window.x1 * header_.mcu_width()) - x;
  const uint32_t height = std::min(header_.height, window.y1 * header_.mcu_height()) - y;
  SegmentWriter out(begin);
  out.marker(kSoi);
  write_colours(header_, out);
  std::array<bool, 8> written{};
  std::array<bool, 4> quantisation_written{};
  for (size_t i = 0; i < header_.component_count; ++i) {
    const Component& c = header_.components[i];
    if (!quantisation_written[c.quantisation]) {
      out.segment(kDqt, 65);
      out.byte(c.quantisation);
      out.bytes(header_.quantisation[c.quantisation]);
      quantisation_written[c.quantisation] = true;
    }
    const size_t ac = 4 + size_t{c.ac};
    if (!written[c.dc]) {
      out.table(c.dc, dc_codes_[c.dc].counts(), dc_codes_[c.dc].symbols());
      written[c.dc] = true;
    }
    if (!written[ac]) {
      out.table(0x10U | c.ac, header_.huffman[ac].counts, header_.huffman[ac].symbols);
      written[ac] = true;
    }
  }
  write_frame(header_, width, height, out);
  write_scan_header(header_, out);
  return out.end();
}

}  // namespace stoker::codec::jpeg
