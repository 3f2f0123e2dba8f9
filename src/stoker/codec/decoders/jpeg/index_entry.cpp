// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/index_entry.h"

#include <algorithm>
#include <cstdlib>

namespace stoker::codec::jpeg {
namespace {

constexpr uint8_t kFormat = 1;
constexpr size_t kHashBytes = 8;
constexpr uint64_t kMaxCodedDc = uint64_t{4} * kMaxDc;
constexpr uint64_t kMaxBits = uint64_t{1} << 56;  // no sum of such differences overflows

void append_hash(std::vector<uint8_t>& out, uint64_t hash) {
  for (size_t i = 0; i < kHashBytes; ++i) {
    out.push_back(static_cast<uint8_t>(hash >> (8 * i)));
  }
}

uint64_t read_hash(const uint8_t* p) {
  uint64_t hash = 0;
  for (size_t i = 0; i < kHashBytes; ++i) {
    hash |= uint64_t{p[i]} << (8 * i);
  }
  return hash;
}

void append_varint(std::vector<uint8_t>& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(static_cast<uint8_t>(value | 0x80));
  }
  out.push_back(static_cast<uint8_t>(value));
}

}  // namespace

bool is_indexable(const Header& header) {
  bool fits = header.frame_marker == kSof0 && header.restart_interval == 0;
  for (size_t i = 0; i < header.component_count; ++i) {
    fits = fits && header.components[i].h <= 2 && header.components[i].v <= 2;
  }
  return fits;
}

EntryWriter::EntryWriter(const EntryHead& head, size_t component_count, std::vector<uint8_t>& out)
    : component_count_(component_count), out_(out) {
  out_.assign(1, kFormat);
  append_hash(out_, head.file_hash);
  append_varint(out_, head.columns);
  append_varint(out_, head.file_bytes);
  append_varint(out_, head.end_bytes);
}

void EntryWriter::add(const ScanPoint& point) {
  append_varint(out_, point.bit - last_.bit);
  for (size_t i = 0; i < component_count_; ++i) {
    const int32_t difference = point.dc[i] - last_.dc[i];
    append_varint(out_, difference < 0 ? static_cast<uint64_t>(-int64_t{difference}) * 2 - 1
                                       : static_cast<uint64_t>(difference) * 2);
  }
  last_ = point;
}

void EntryWriter::finish() {
  append_hash(out_, hash_of(out_));
}

bool EntryReader::open(Bytes entry, EntryHead& head) {
  if (entry.size() < 1 + 2 * kHashBytes || entry[0] != kFormat) {
    return false;
  }
  const Bytes hashed = entry.first(entry.size() - kHashBytes);
  if (read_hash(entry.data() + hashed.size()) != hash_of(hashed)) {
    return false;
  }
  head.file_hash = read_hash(entry.data() + 1);
  at_ = entry.data() + 1 + kHashBytes;
  end_ = entry.data() + hashed.size();
  last_ = {};
  uint64_t columns = 0;
  if (!read_varint(columns) || !read_varint(head.file_bytes) || !read_varint(head.end_bytes) ||
      columns == 0 || columns > INT32_MAX) {
    return false;
  }
  head.columns = static_cast<uint32_t>(columns);
  return true;
}

bool EntryReader::read_varint(uint64_t& value) {
  value = 0;
  for (uint32_t shift = 0; shift < 63 && at_ != end_; shift += 7) {
    const uint8_t byte = *at_++;
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      return true;
    }
  }
  return false;
}

bool EntryReader::next(size_t component_count, ScanPoint& point) {
  uint64_t bits = 0;
  if (!read_varint(bits) || bits > kMaxBits || last_.bit > kMaxBits) {
    return false;
  }
  last_.bit += bits;
  for (size_t i = 0; i < component_count; ++i) {
    uint64_t coded = 0;
    if (!read_varint(coded) || coded > kMaxCodedDc) {
      return false;
    }
    const auto half = static_cast<int32_t>((coded + 1) / 2);
    last_.dc[i] += coded % 2 != 0 ? -half : half;
    if (std::abs(last_.dc[i]) > kMaxDc) {
      return false;
    }
  }
  point = last_;
  return true;
}

}  // namespace stoker::codec::jpeg
