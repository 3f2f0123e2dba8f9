// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/jpeg/header.h"
#include "stoker/core/hash.h"

namespace stoker::codec::jpeg {

constexpr int32_t kMaxDc = 2047;

// The state of a scan in front of an MCU.
struct ScanPoint {
  // From the scan's begin, stuffed bytes counted; never inside a stuffed byte.
  uint64_t bit = 0;
  std::array<int32_t, 3> dc{};  // predictors, by component
};

// What an entry says of its file.
struct EntryHead {
  uint32_t columns = 0;  // MCUs between two points of a row
  uint64_t file_bytes = 0;
  uint64_t end_bytes = 0;  // just behind the end marker
  uint64_t file_hash = 0;
};

// Is the file one that an index is made for? It may still hold bits that are not.
bool is_indexable(const Header& header);

// Entry: format (1 byte), file hash (8 bytes), varints columns, file_bytes, end_bytes; then the
// points of all rows, each as varints of the differences from the one before: bits, then DC of
// each component; the point behind the last MCU; last a hash of all this (8 bytes). Hashes are
// little-endian.
class EntryWriter {
 public:
  EntryWriter(const EntryHead& head, size_t component_count, std::vector<uint8_t>& out);
  void add(const ScanPoint& point);
  void finish();

 private:
  size_t component_count_;
  std::vector<uint8_t>& out_;
  ScanPoint last_;
};

class EntryReader {
 public:
  // False: damaged, or of another format.
  bool open(Bytes entry, EntryHead& head);
  // The next point; false at the end, or when it cannot be.
  bool next(size_t component_count, ScanPoint& point);

 private:
  bool read_varint(uint64_t& value);

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  ScanPoint last_;
};

}  // namespace stoker::codec::jpeg
