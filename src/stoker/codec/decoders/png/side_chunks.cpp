// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/png/side_chunks.h"

#include <algorithm>
#include <array>
#include <new>
#include <string_view>

namespace stoker::codec::png {
namespace {

// Pillow's limits, of a compressed chunk unpacked and of all texts together, less a margin.
constexpr size_t kMostUnpackedBytes = (size_t{1} << 20) - 4096;
constexpr size_t kMostTextBytes = size_t{60} << 20;

// Deflate makes at most 1032 bytes of one.
constexpr size_t kSurelyLittleBytes = kMostUnpackedBytes / 1032;

// Pillow keeps texts where it keeps what it goes by: these keywords would change the picture.
constexpr std::array<std::string_view, 9> kWorkingKeys = {
    "transparency", "interlace", "bbox", "default_image", "disposal",
    "blend",        "duration",  "loop", "icc_profile"};

size_t find_zero(Bytes body) {
  return static_cast<size_t>(std::find(body.begin(), body.end(), uint8_t{0}) - body.begin());
}

bool is_working_key(Bytes key) {
  const std::string_view text(reinterpret_cast<const char*>(key.data()), key.size());
  return std::find(kWorkingKeys.begin(), kWorkingKeys.end(), text) != kWorkingKeys.end();
}

}  // namespace

SideChunks::SideChunks() {
  if (inflateInit(&stream_) != Z_OK) {
    throw std::bad_alloc();
  }
}

SideChunks::~SideChunks() {
  (void)inflateEnd(&stream_);
}

bool SideChunks::accept(uint32_t name, Bytes body) {
  switch (name) {
    case name_of("gAMA"):
      return body.size() >= 4;
    case name_of("cHRM"):
      return body.size() >= 32;
    case name_of("sRGB"):
      return !body.empty();
    case name_of("pHYs"):
      return body.size() >= 9;
    case name_of("iCCP"):
      return accept_profile(body);
    case name_of("tEXt"):
      return accept_text(body);
    case name_of("zTXt"):
      return accept_compressed_text(body);
    case name_of("iTXt"):
      return accept_unicode_text(body);
    // An animation: its first frame may be a part of the picture.
    case name_of("acTL"):
    case name_of("fcTL"):
    case name_of("fdAT"):
      return false;
    default:
      // Ancillary and valid names are skipped.
      return (name & 0x20000000U) != 0 && (name & 0x2000U) == 0;
  }
}

// A name, zero, the method, and the profile.
bool SideChunks::accept_profile(Bytes body) {
  const size_t zero = find_zero(body);
  size_t bytes = 0;
  return zero + 1 < body.size() && body[zero + 1] == 0 &&
         unpacks_to_little(body.subspan(zero + 2), bytes);
}

bool SideChunks::accept_text(Bytes body) {
  text_bytes_ += body.size();
  return text_bytes_ < kMostTextBytes && !is_working_key(body.first(find_zero(body)));
}

bool SideChunks::accept_compressed_text(Bytes body) {
  const size_t zero = find_zero(body);
  size_t bytes = 0;
  if (zero + 1 >= body.size() || body[zero + 1] != 0 || is_working_key(body.first(zero)) ||
      !unpacks_to_little(body.subspan(zero + 2), bytes)) {
    return false;
  }
  text_bytes_ += bytes;
  return text_bytes_ < kMostTextBytes;
}

// Keyword, zero, is it compressed, the method, language, zero, keyword in that, zero, text.
bool SideChunks::accept_unicode_text(Bytes body) {
  const size_t zero = find_zero(body);
  if (zero + 3 > body.size() || is_working_key(body.first(zero))) {
    return false;
  }
  const bool compressed = body[zero + 1] != 0;
  size_t bytes = body.size();
  if (compressed) {
    Bytes rest = body.subspan(zero + 3);
    for (int i = 0; i < 2; ++i) {
      const size_t end = find_zero(rest);
      if (end == rest.size()) {
        return false;
      }
      rest = rest.subspan(end + 1);
    }
    if (!unpacks_to_little(rest, bytes)) {
      return false;
    }
  }
  text_bytes_ += bytes;
  return text_bytes_ < kMostTextBytes;
}

// Pillow takes broken data as none, and refuses those that are large when unpacked.
bool SideChunks::unpacks_to_little(Bytes compressed, size_t& bytes) {
  bytes = compressed.size() * 1032;
  if (compressed.size() <= kSurelyLittleBytes) {
    return true;
  }
  if (compressed.size() > kMostUnpackedBytes || inflateReset(&stream_) != Z_OK) {
    return false;
  }
  std::array<uint8_t, 4096> out;
  stream_.next_in = const_cast<uint8_t*>(compressed.data());  // zlib only reads from it
  stream_.avail_in = static_cast<uInt>(compressed.size());
  int result = Z_OK;
  bytes = 0;
  while (result == Z_OK && bytes <= kMostUnpackedBytes) {
    stream_.next_out = out.data();
    stream_.avail_out = out.size();
    result = inflate(&stream_, Z_NO_FLUSH);
    bytes += out.size() - stream_.avail_out;
  }
  return bytes <= kMostUnpackedBytes;
}

}  // namespace stoker::codec::png
