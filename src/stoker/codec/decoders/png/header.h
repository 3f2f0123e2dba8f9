// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "stoker/codec/decoder.h"
#include "stoker/codec/decoders/png/side_chunks.h"

namespace stoker::codec::png {

enum class ColourType : uint8_t { Grey = 0, Rgb = 2, Palette = 3, GreyAlpha = 4, Rgba = 6 };

// What a PNG says outside its pixels. Spans point into the file.
struct Header {
  uint32_t width = 0, height = 0;
  uint8_t depth = 0;  // bits of a sample
  ColourType colour = ColourType::Grey;
  bool interlaced = false;
  Bytes palette;  // R, G, B of each entry; empty unless colour is Palette
  Bytes idat;     // all IDAT chunks, with their lengths, names and checksums

  size_t samples() const;  // of a pixel
  size_t row_bytes(size_t row_width) const { return (row_width * samples() * depth + 7) / 8; }
  // Distance of the byte that filters look back to.
  size_t filter_bytes() const { return (samples() * depth + 7) / 8; }
};

// Walks over all chunks up to IEND, and refuses any file on which Pillow could raise an error
// before or behind the pixels, or would not read it as a plain picture. Reads no pixel.
Status read_header(Bytes data, SideChunks& side, Header& header);

bool has_signature(Bytes data);

}  // namespace stoker::codec::png
