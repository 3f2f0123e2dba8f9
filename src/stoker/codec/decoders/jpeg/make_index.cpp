// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include "stoker/codec/decoders/jpeg/huffman.h"
#include "stoker/codec/decoders/jpeg/index_entry.h"
#include "stoker/codec/decoders/jpeg/scan.h"
#include "stoker/codec/decoders/jpeg/session.h"
#include "stoker/codec/jpeg_index.h"

namespace stoker::codec {
namespace {

using jpeg::Bits;
using jpeg::BlockWalker;
using jpeg::EntryHead;
using jpeg::EntryWriter;
using jpeg::Header;
using jpeg::kMaxDc;
using jpeg::ScanPoint;

// A whole scan without its stuffed bytes, and how to find a place of it in the file.
class PlainScan {
 public:
  // Requires: `scan` is followed by an end marker and holds no other marker.
  explicit PlainScan(Bytes scan) : bytes_(scan.size() + kRoom) {
    uint8_t* out = bytes_.data();
    const uint8_t* p = scan.data();
    const uint8_t* const end = p + scan.size();
    while (p < end) {
      const auto left = static_cast<size_t>(end - p);
      const auto* stuffed = static_cast<const uint8_t*>(std::memchr(p, 0xFF, left));
      const size_t run = stuffed == nullptr ? left : static_cast<size_t>(stuffed - p) + 1;
      std::memcpy(out, p, run);
      out += run;
      p += run;
      if (stuffed != nullptr) {
        ++p;
        stuffed_.push_back(static_cast<size_t>(out - bytes_.data()));
      }
    }
    size_ = static_cast<size_t>(out - bytes_.data());
    stuffed_.push_back(SIZE_MAX);
  }

  Bits bits() const { return Bits(bytes_.data()); }
  size_t size_bytes() const { return size_; }
  // Bit `at` in the file, from the scan's begin. Calls must have growing `at`.
  uint64_t in_file(size_t at) {
    while (stuffed_[passed_] <= at / 8) {
      ++passed_;
    }
    return at + 8 * passed_;
  }

 private:
  // One block's bits may be read behind the end before that is noticed.
  static constexpr size_t kRoom = size_t{64} * 4 + Bits::kSlackBytes;

  std::vector<uint8_t> bytes_;
  size_t size_ = 0;
  std::vector<size_t> stuffed_;  // in front of which bytes stuffed ones were
  size_t passed_ = 0;
};

constexpr const char* kBadCode = "the scan holds a bad Huffman code";

class IndexMaker {
 public:
  IndexMaker(const Header& header, Bytes scan) : header_(header), scan_(scan) {
    walker_.build(header);
  }

  Status run(uint32_t columns, EntryWriter& writer) {
    for (uint32_t y = 0; y < header_.mcus_y(); ++y) {
      for (uint32_t x = 0; x < header_.mcus_x(); ++x) {
        if (x % columns == 0) {
          writer.add(point());
        }
        if (Status status = walk_mcu(); !status.ok()) {
          return status;
        }
      }
    }
    // libjpeg warns of bytes that it does not need.
    if ((at_ + 7) / 8 != scan_.size_bytes()) {
      return {ErrorCode::Unsupported, "bytes are left between the last MCU and the end marker"};
    }
    writer.add(point());
    return {};
  }

 private:
  ScanPoint point() { return {scan_.in_file(at_), dc_}; }

  Status walk_mcu() {
    const Bits bits = scan_.bits();
    for (size_t c = 0; c < header_.component_count; ++c) {
      const uint32_t blocks = header_.blocks_of(c);
      for (uint32_t i = 0; i < blocks; ++i) {
        int32_t difference = 0;
        if (!walker_.read_dc(bits, c, at_, difference) || !walker_.skip_ac(bits, c, at_)) {
          return {ErrorCode::Unsupported, kBadCode};
        }
        dc_[c] += difference;
        if (std::abs(dc_[c]) > kMaxDc) {
          return {ErrorCode::Unsupported, "a DC value is out of range"};
        }
        if (at_ > 8 * scan_.size_bytes()) {
          return {ErrorCode::Unsupported, "the scan ends before the image does"};
        }
      }
    }
    return {};
  }

  const Header& header_;
  PlainScan scan_;
  BlockWalker walker_;
  size_t at_ = 0;
  std::array<int32_t, 3> dc_{};
};

}  // namespace

Status make_jpeg_index(Bytes file, int32_t columns, std::vector<uint8_t>& entry) {
  entry.clear();
  if (columns < 1) {
    return {ErrorCode::InvalidArgument, "an index needs a point at least every MCU: columns >= 1"};
  }
  Header header;
  const bool fits = jpeg::read_header(file, header) && jpeg::is_indexable(header);
  const size_t end_bytes = fits ? jpeg::scan_end(file, header) : 0;
  if (end_bytes == 0) {
    return {ErrorCode::Unsupported, "no plain baseline JPEG"};
  }
  if (Status status = jpeg::Session().read_header(file); !status.ok()) {
    return status;
  }
  EntryHead head;
  head.columns = static_cast<uint32_t>(columns);
  head.file_bytes = file.size();
  head.end_bytes = end_bytes;
  head.file_hash = hash_of(file);
  constexpr size_t kEndMarkerBytes = 2;
  const Bytes scan =
      file.subspan(header.scan_begin, end_bytes - kEndMarkerBytes - header.scan_begin);
  EntryWriter writer(head, header.component_count, entry);
  Status status = IndexMaker(header, scan).run(head.columns, writer);
  if (status.ok()) {
    writer.finish();
  } else {
    entry.clear();
  }
  return status;
}

}  // namespace stoker::codec
