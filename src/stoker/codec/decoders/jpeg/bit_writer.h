// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "stoker/codec/decoders/jpeg/huffman.h"

namespace stoker::codec::jpeg {

// The top bit of each byte that is 0xFF.
inline uint64_t find_ff(uint64_t word) {
  constexpr uint64_t kLow = 0x7F7F7F7F7F7F7F7FU;
  const uint64_t inverse = ~word;
  return ~(((inverse & kLow) + kLow) | inverse | kLow);
}

// Copies `size` bytes of a scan but for the zero behind each 0xFF; gives the end of what it wrote.
// Up to eight bytes more are written at `out`.
inline uint8_t* unstuff(const uint8_t* p, size_t size, uint8_t* out) {
  const uint8_t* const end = p + size;
  while (end - p > 8) {
    uint64_t word = 0;
    std::memcpy(&word, p, sizeof(word));
    std::memcpy(out, &word, sizeof(word));
    const uint64_t found = find_ff(word);
    if (found == 0) {
      p += 8;
      out += 8;
      continue;
    }
    const int kept = std::countr_zero(found) / 8 + 1;
    p += kept;
    out += kept;
    p += *p == 0 ? 1 : 0;
  }
  while (p < end) {
    const uint8_t byte = *p++;
    *out++ = byte;
    if (byte == 0xFF && p < end && *p == 0) {
      ++p;
    }
  }
  return out;
}

// Writes the bits of a scan, stuffed. The caller sees to it that there is room: twice the bits, and
// kSlackBytes.
class BitWriter {
 public:
  static constexpr size_t kSlackBytes = 32;

  explicit BitWriter(uint8_t* out) : out_(out) {}

  // The lowest `count` bits of `bits`, the rest of which is zero; `count` is 1 to 63.
  void put(uint64_t bits, uint32_t count) {
    const uint32_t room = 64 - count_;
    if (count < room) {
      waiting_ |= bits << (room - count);
      count_ += count;
      return;
    }
    const uint32_t left = count - room;
    flush(waiting_ | bits >> left);
    waiting_ = left == 0 ? 0 : bits << (64 - left);
    count_ = left;
  }

  // The bits `from` to `to`.
  void copy(const Bits& bits, size_t from, size_t to) {
    // A local writer stays in registers: bytes that are written might alias a member.
    BitWriter writer = *this;
    writer.copy_fast(bits, from, to);
    *this = writer;
  }

  // Fills the last byte with ones; gives the end of the data.
  uint8_t* finish() {
    const uint32_t fill = (8 - count_ % 8) % 8;
    if (fill != 0) {
      put((1U << fill) - 1, fill);
    }
    for (; count_ > 0; count_ -= 8, waiting_ <<= 8) {
      put_byte(static_cast<uint8_t>(waiting_ >> 56));
    }
    return out_;
  }

 private:
  void copy_fast(const Bits& bits, size_t from, size_t to) {
    // From a byte border on, eight bytes at a time.
    from += put_some(bits, from, to, (8 - from % 8) % 8);
    const uint8_t* p = bits.data() + from / 8;
    for (; from + 64 <= to; from += 64, p += 8) {
      uint64_t word = 0;
      std::memcpy(&word, p, sizeof(word));
      word = __builtin_bswap64(word);
      flush(waiting_ | word >> count_);
      waiting_ = (word << 1) << (63 - count_);
    }
    while (from < to) {
      from += put_some(bits, from, to, 32);
    }
  }
  size_t put_some(const Bits& bits, size_t from, size_t to, size_t limit) {
    const size_t count = to - from < limit ? to - from : limit;
    if (count != 0) {
      put(bits.peek(from) >> (64 - count), static_cast<uint32_t>(count));
    }
    return count;
  }
  void put_byte(uint8_t byte) {
    *out_++ = byte;
    if (byte == 0xFF) {
      *out_++ = 0;
    }
  }
  void flush(uint64_t word) {
    int left = 8;
    uint64_t found = find_ff(word);
    while (true) {
      const uint64_t bytes = __builtin_bswap64(word);
      std::memcpy(out_, &bytes, sizeof(bytes));
      if (found == 0) {
        out_ += left;
        return;
      }
      const int kept = std::countl_zero(found) / 8 + 1;
      out_ += kept;
      *out_++ = 0;
      left -= kept;
      if (left == 0) {
        return;
      }
      word <<= 8 * kept;
      found <<= 8 * kept;
    }
  }

  uint8_t* out_;
  uint64_t waiting_ = 0;  // from the top
  uint32_t count_ = 0;    // of waiting bits, below 64
};

}  // namespace stoker::codec::jpeg
