// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "stoker/codec/decoders/jpeg/bit_writer.h"
#include "stoker/codec/decoders/jpeg/header.h"

namespace stoker::codec::jpeg {

// A file's DC code with the categories appended that it lacks, as longer codes: those that are
// there stay as they are. There is always room, because the code of all ones is never used.
class DcCode {
 public:
  static constexpr uint32_t kCategories = 13;  // differences of up to 2 * kMaxDc

  // False: no room within 16 bits.
  bool build(const HuffmanCode& code);
  // False: the difference is beyond all categories.
  bool write(int32_t difference, BitWriter& out) const;

  const std::array<uint8_t, 16>& counts() const { return counts_; }
  Bytes symbols() const { return Bytes(symbols_.data(), symbol_count_); }

 private:
  struct Word {
    uint16_t code = 0;
    uint8_t length = 0;
  };
  bool append_missing();
  void assign_words();

  std::array<uint8_t, 16> counts_{};
  std::array<uint8_t, 256 + kCategories> symbols_{};
  size_t symbol_count_ = 0;
  std::array<Word, kCategories> words_;
};

}  // namespace stoker::codec::jpeg
