// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "stoker/codec/decoders/jpeg/huffman.h"

namespace stoker::codec::jpeg {

// Is one of the eight bytes 0xFF?
inline bool holds_ff(uint64_t word) {
  const uint64_t inverse = ~word;
  return ((inverse - 0x0101010101010101U) & ~inverse & 0x8080808080808080U) != 0;
}

// Copies `size` bytes of a scan but for the zero behind each 0xFF; gives the end of what it wrote.
// Up to eight bytes more are written at `out`.
inline uint8_t* unstuff(const uint8_t* p, size_t size, uint8_t* out) {
  const uint8_t* const end = p + size;
  while (p < end) {
    uint64_t word = 0;
    if (end - p >= 8) {
      std::memcpy(&word, p, sizeof(word));
      std::memcpy(out, &word, sizeof(word));
      if (!holds_ff(word)) {
        p += 8;
        out += 8;
        continue;
      }
    }
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
    if (!holds_ff(word)) {
      word = __builtin_bswap64(word);
      std::memcpy(out_, &word, sizeof(word));
      out_ += sizeof(word);
      return;
    }
    for (int i = 0; i < 8; ++i, word <<= 8) {
      put_byte(static_cast<uint8_t>(word >> 56));
    }
  }

  uint8_t* out_;
  uint64_t waiting_ = 0;  // from the top
  uint32_t count_ = 0;    // of waiting bits, below 64
};

}  // namespace stoker::codec::jpeg
