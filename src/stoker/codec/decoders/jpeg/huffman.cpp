// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/huffman.h"

#include <algorithm>

namespace stoker::codec::jpeg {
namespace {

constexpr uint8_t kLongRun = 0xF0;  // sixteen zeros

HuffmanWalker::Symbol symbol_of(uint8_t value, uint32_t length, bool dc) {
  const uint32_t run = value >> 4;
  const uint32_t size = value & 15;
  const auto bits = static_cast<uint8_t>(length + size);
  if (dc) {
    return {bits, static_cast<uint8_t>(size)};
  }
  if (size == 0 && value != kLongRun) {
    // libjpeg takes every other run without a value for the end of the block.
    return {bits, HuffmanWalker::kDone};
  }
  return {bits, static_cast<uint8_t>(run + 1)};
}

}  // namespace

void HuffmanWalker::build(const HuffmanCode& code, bool dc) {
  short_.fill({});
  uint32_t next = 0;
  uint32_t place = 0;
  for (uint32_t length = 1; length <= 16; ++length) {
    first_place_[length] = place - next;
    for (uint32_t i = 0; i < code.counts[length - 1]; ++i, ++next, ++place) {
      const Symbol symbol = symbol_of(code.symbols[place], length, dc);
      symbols_[place] = symbol;
      if (length <= kShortBits) {
        const uint32_t shift = kShortBits - length;
        std::fill_n(short_.begin() + (next << shift), size_t{1} << shift, symbol);
      }
    }
    code_end_[length] = next;
    next <<= 1;
  }
}

HuffmanWalker::Symbol HuffmanWalker::next_long(uint64_t word) const {
  for (uint32_t length = kShortBits + 1; length <= 16; ++length) {
    const auto code = static_cast<uint32_t>(word >> (64 - length));
    if (code < code_end_[length]) {
      return symbols_[code + first_place_[length]];
    }
  }
  return {};
}

void BlockWalker::build(const Header& header) {
  std::array<bool, 8> built{};
  for (size_t i = 0; i < header.component_count; ++i) {
    dc_[i] = header.components[i].dc;
    ac_[i] = static_cast<uint8_t>(4 + header.components[i].ac);
    for (const size_t table : {size_t{dc_[i]}, size_t{ac_[i]}}) {
      if (!built[table]) {
        walkers_[table].build(header.huffman[table], table < 4);
        built[table] = true;
      }
    }
  }
}

}  // namespace stoker::codec::jpeg
