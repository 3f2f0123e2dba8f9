// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stoker::codec::testing {

// What IHDR says.
struct PngHeader {
  uint32_t width = 1, height = 1;
  uint8_t depth = 8, colour = 2;
  bool interlaced = false;
};

inline void append_u32(std::vector<uint8_t>& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<uint8_t>(value >> shift));
  }
}

inline void append_chunk(std::vector<uint8_t>& out, const std::string& name,
                         std::span<const uint8_t> body) {
  append_u32(out, static_cast<uint32_t>(body.size()));
  const size_t begin = out.size();
  out.insert(out.end(), name.begin(), name.end());
  out.insert(out.end(), body.begin(), body.end());
  const auto covered = static_cast<uInt>(out.size() - begin);
  append_u32(out, static_cast<uint32_t>(crc32(0, out.data() + begin, covered)));
}

// Signature and header chunk.
inline std::vector<uint8_t> png_begin(const PngHeader& header) {
  std::vector<uint8_t> out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  std::vector<uint8_t> body;
  append_u32(body, header.width);
  append_u32(body, header.height);
  body.insert(body.end(),
              {header.depth, header.colour, 0, 0, header.interlaced ? uint8_t{1} : uint8_t{0}});
  append_chunk(out, "IHDR", body);
  return out;
}

// The compressed rows, filter bytes and all, in chunks of at most `most_bytes`, and the end chunk.
inline void append_rows(std::vector<uint8_t>& out, std::span<const uint8_t> rows, int level = 6,
                        size_t most_bytes = 1 << 30) {
  std::vector<uint8_t> packed(compressBound(rows.size()));
  uLongf size = packed.size();
  if (compress2(packed.data(), &size, rows.data(), rows.size(), level) != Z_OK) {
    return;  // the file is without pixels then, and its reader says so
  }
  for (size_t at = 0; at < size; at += most_bytes) {
    append_chunk(out, "IDAT",
                 std::span(packed).subspan(at, std::min<size_t>(most_bytes, size - at)));
  }
  append_chunk(out, "IEND", {});
}

inline std::vector<uint8_t> png_of(const PngHeader& header, std::span<const uint8_t> rows) {
  std::vector<uint8_t> out = png_begin(header);
  append_rows(out, rows);
  return out;
}

}  // namespace stoker::codec::testing
