// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/dc_code.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace stoker::codec::jpeg {

constexpr size_t kMaxSymbols = 256;  // of a table, says libjpeg

bool DcCode::build(const HuffmanCode& code) {
  std::copy(code.counts.begin(), code.counts.end(), counts_.begin());
  std::copy(code.symbols.begin(), code.symbols.end(), symbols_.begin());
  symbol_count_ = code.symbols.size();
  if (!append_missing()) {
    return false;
  }
  assign_words();
  return true;
}

bool DcCode::append_missing() {
  std::array<bool, 256> present{};
  for (const uint8_t symbol : symbols()) {
    present[symbol] = true;
  }
  uint32_t missing = 0;
  for (uint32_t category = 0; category < kCategories; ++category) {
    if (!present[category]) {
      symbols_[symbol_count_++] = static_cast<uint8_t>(category);
      ++missing;
    }
  }
  if (missing == 0) {
    return true;
  }
  uint32_t longest = 1;
  uint32_t free = 2;  // codes of the longest length, the one of all ones among them
  uint32_t free_here = 1;
  for (uint32_t length = 1; length <= 16; ++length) {
    free_here = 2 * free_here - counts_[length - 1];
    if (counts_[length - 1] != 0) {
      longest = length;
      free = free_here;
    }
  }
  for (; longest <= 16 && free - 1 < missing; ++longest) {
    free *= 2;
  }
  if (longest > 16) {
    return false;
  }
  missing += counts_[longest - 1];
  counts_[longest - 1] = static_cast<uint8_t>(missing);
  return missing <= UINT8_MAX && symbol_count_ <= kMaxSymbols;
}

void DcCode::assign_words() {
  uint32_t code = 0;
  size_t place = 0;
  for (uint32_t length = 1; length <= 16; ++length, code <<= 1) {
    for (uint32_t i = 0; i < counts_[length - 1]; ++i, ++code, ++place) {
      if (symbols_[place] < kCategories) {
        words_[symbols_[place]] = {static_cast<uint16_t>(code), static_cast<uint8_t>(length)};
      }
    }
  }
}

bool DcCode::write(int32_t difference, BitWriter& out) const {
  const auto category =
      static_cast<uint32_t>(std::bit_width(static_cast<uint32_t>(std::abs(difference))));
  if (category >= kCategories) {
    return false;
  }
  const uint32_t mask = (1U << category) - 1;
  const auto value = static_cast<uint32_t>(difference < 0 ? difference - 1 : difference) & mask;
  const Word& word = words_[category];
  out.put(uint64_t{word.code} << category | value, word.length + category);
  return true;
}

}  // namespace stoker::codec::jpeg
