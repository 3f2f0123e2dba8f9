// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include "stoker/codec/decoder.h"

namespace stoker::codec::png {

// Looks at chunks that say nothing about pixels, but on which Pillow raises errors.
class SideChunks {
 public:
  SideChunks();  // throws std::bad_alloc
  ~SideChunks();
  SideChunks(const SideChunks&) = delete;
  SideChunks& operator=(const SideChunks&) = delete;

  void start() { text_bytes_ = 0; }
  // Does Pillow surely take this chunk, and take nothing of it that changes the picture?
  bool accept(uint32_t name, Bytes body);

 private:
  bool accept_profile(Bytes body);
  bool accept_text(Bytes body);
  bool accept_compressed_text(Bytes body);
  bool accept_unicode_text(Bytes body);
  bool unpacks_to_little(Bytes compressed, size_t& bytes);

  z_stream stream_{};
  size_t text_bytes_ = 0;
};

constexpr uint32_t name_of(const char (&text)[5]) {
  return static_cast<uint32_t>(static_cast<uint8_t>(text[0])) << 24 |
         static_cast<uint32_t>(static_cast<uint8_t>(text[1])) << 16 |
         static_cast<uint32_t>(static_cast<uint8_t>(text[2])) << 8 | static_cast<uint8_t>(text[3]);
}

}  // namespace stoker::codec::png
