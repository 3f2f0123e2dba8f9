// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "stoker/codec/decoders/jpeg/header.h"

namespace stoker::codec::jpeg {

// Bits of a scan without its stuffed bytes. Reading goes up to kSlackBytes beyond the last bit.
class Bits {
 public:
  static constexpr size_t kSlackBytes = 16;
  static constexpr uint32_t kPeekBits = 57;

  explicit Bits(const uint8_t* data = nullptr) : data_(data) {}
  // The bits from `at` on, the first one on top; at least kPeekBits of them are right.
  uint64_t peek(size_t at) const {
    uint64_t word = 0;
    std::memcpy(&word, data_ + (at >> 3), sizeof(word));
    return __builtin_bswap64(word) << (at & 7);
  }
  const uint8_t* data() const { return data_; }

 private:
  const uint8_t* data_;
};

// One Huffman code, made for walking over symbols: what is in them matters only for DC.
class HuffmanWalker {
 public:
  static constexpr uint32_t kDone = 128;  // end of block, as a step

  static constexpr uint32_t kMaxSymbolBits = 16 + 15;

  struct Symbol {
    uint8_t bits = 0;  // code and the value behind it; 0: no such code
    uint8_t step = 0;  // AC: coefficients passed; DC: bits of the value
  };

  void build(const HuffmanCode& code, bool dc);

  Symbol next(uint64_t word) const {
    const Symbol symbol = short_[word >> (64 - kShortBits)];
    return symbol.bits != 0 ? symbol : next_long(word);
  }

 private:
  static constexpr uint32_t kShortBits = 9;

  Symbol next_long(uint64_t word) const;

  std::array<Symbol, size_t{1} << kShortBits> short_;
  std::array<Symbol, 256> symbols_;         // by place in the code
  std::array<uint32_t, 17> code_end_{};     // first code of each length that is not in use
  std::array<uint32_t, 17> first_place_{};  // place minus first code of the length, modulo 2^32
};

// The walkers of a file's components.
class BlockWalker {
 public:
  // Requires: `header` was read with success.
  void build(const Header& header);

  // The DC difference of the block at bit `at`, which moves behind it; false: no such code.
  bool read_dc(const Bits& bits, size_t component, size_t& at, int32_t& difference) const {
    const uint64_t word = bits.peek(at);
    const HuffmanWalker::Symbol symbol = walkers_[dc_[component]].next(word);
    if (symbol.bits == 0) {
      return false;
    }
    at += symbol.bits;
    difference = 0;
    if (symbol.step != 0) {
      const uint64_t value = (word << (symbol.bits - symbol.step)) >> (64 - symbol.step);
      const bool positive = (value >> (symbol.step - 1)) != 0;
      difference = static_cast<int32_t>(value) - (positive ? 0 : (1 << symbol.step) - 1);
    }
    return true;
  }
  // Moves behind the AC coefficients of a block; false: no such code, or too many coefficients.
  bool skip_ac(const Bits& bits, size_t component, size_t& at) const {
    const HuffmanWalker& walker = walkers_[ac_[component]];
    constexpr uint32_t kEnough = Bits::kPeekBits - HuffmanWalker::kMaxSymbolBits;
    uint64_t word = bits.peek(at);
    uint32_t used = 0;
    uint32_t k = 1;
    while (k < 64) {
      const HuffmanWalker::Symbol symbol = walker.next(word);
      if (symbol.bits == 0) {
        return false;
      }
      word <<= symbol.bits;
      used += symbol.bits;
      k += symbol.step;
      if (used > kEnough) {
        at += used;
        used = 0;
        word = bits.peek(at);
      }
    }
    at += used;
    return k == 64 || k >= HuffmanWalker::kDone;
  }

 private:
  std::array<HuffmanWalker, 8> walkers_;
  std::array<uint8_t, 3> dc_{}, ac_{};  // of each component
};

}  // namespace stoker::codec::jpeg
