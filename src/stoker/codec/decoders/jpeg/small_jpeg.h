// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/dc_code.h"
#include "stoker/codec/decoders/jpeg/header.h"
#include "stoker/codec/decoders/jpeg/huffman.h"
#include "stoker/codec/decoders/jpeg/index_entry.h"
#include "stoker/core/buffer.h"
#include "stoker/core/image_view.h"

namespace stoker::codec::jpeg {

// Puts the MCUs that a region depends on together as a JPEG of its own, by way of an index entry.
// One a thread; keeps its memory.
class SmallJpeg {
 public:
  // Does the entry belong to these bytes? Reads all of them once. Both must stay where they are
  // while the answer is used.
  bool open(Bytes data, Bytes entry);
  const Header& header() const { return header_; }
  size_t end_bytes() const { return head_.end_bytes; }

  // After open(). False: it does not pay for this region, or the entry is wrong.
  // Requires: the region is inside the image and not empty.
  bool build(const Region& region);
  // After build(): the file, good until the next call, and where the region is in it.
  Bytes file() const { return Bytes(out_.data(), file_bytes_); }
  const Region& region() const { return region_; }

 private:
  // MCUs x0 <= x < x1, y0 <= y < y1.
  struct Window {
    uint32_t x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  };
  // MCUs that stand one behind the other in the file.
  struct Segment {
    ScanPoint begin, end;
  };

  Window window_of(const Region& region) const;
  bool read_segments(const Window& window);
  bool pays() const;
  bool prepare_codes();
  uint8_t* write_header(const Window& window, uint8_t* out) const;
  bool write_scan(uint8_t*& out);
  bool write_segment(const Segment& segment, const std::array<int32_t, 3>& shift, BitWriter& out);
  bool write_shifted(const std::array<int32_t, 3>& shift, const Bits& bits, size_t& at, size_t end,
                     BitWriter& out) const;

  Bytes data_;
  Header header_;
  EntryHead head_;
  EntryReader points_;
  std::vector<Segment> segments_;
  BlockWalker walker_;
  std::array<DcCode, 4> dc_codes_;
  Buffer plain_;  // a segment without its stuffed bytes
  Buffer out_;
  size_t file_bytes_ = 0;
  Region region_;
};

}  // namespace stoker::codec::jpeg
