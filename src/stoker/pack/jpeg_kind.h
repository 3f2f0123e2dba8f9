// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "stoker/codec/decoder.h"

namespace stoker::pack {

// What the segments before the picture say of a file; the first that fits, from NotJpeg on.
enum class JpegKind : uint8_t {
  NotJpeg,
  Irregular,  // it begins like a JPEG, but its segments are cut off or make no sense
  FourComponents,
  Unusual,  // lossless or hierarchical, not 8 bits a sample, or neither 1 nor 3 components
  Arithmetic,
  Progressive,
  SeveralScans,
  RestartMarkers,
  Plain,  // one sequential Huffman-coded scan
};

// Reads no entropy-coded data. Thread-safe.
JpegKind kind_of_jpeg(codec::Bytes file);
// For people and JSON: "progressive", "several scans".
std::string_view name_of(JpegKind kind);

// Is it one that regions decode slowly of, and that codec::to_baseline() helps?
inline bool gains_by_baseline(JpegKind kind) {
  return kind == JpegKind::Arithmetic || kind == JpegKind::Progressive ||
         kind == JpegKind::SeveralScans;
}

}  // namespace stoker::pack
