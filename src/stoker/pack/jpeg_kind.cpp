// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/jpeg_kind.h"

namespace stoker::pack {
namespace {

constexpr uint8_t kSoi = 0xD8, kEoi = 0xD9, kSos = 0xDA, kDri = 0xDD, kTem = 0x01;
constexpr uint8_t kRst0 = 0xD0, kRst7 = 0xD7;
constexpr uint8_t kSof0 = 0xC0, kSof2 = 0xC2, kSof9 = 0xC9, kSof10 = 0xCA, kSof15 = 0xCF;
constexpr uint8_t kDht = 0xC4, kJpg = 0xC8, kDac = 0xCC;
constexpr size_t kLeastFrameBytes = 6;  // precision, height, width, components

bool is_frame(uint8_t marker) {
  return marker >= kSof0 && marker <= kSof15 && marker != kDht && marker != kJpg && marker != kDac;
}

// What was seen up to the first scan.
struct Facts {
  uint8_t frame_marker = 0;
  uint8_t precision = 0;
  uint8_t components = 0;
  uint8_t scan_components = 0;
  bool restarts = false;
};

void take_segment(uint8_t marker, codec::Bytes body, Facts& facts) {
  if (is_frame(marker) && body.size() >= kLeastFrameBytes) {
    facts.frame_marker = marker;
    facts.precision = body[0];
    facts.components = body[5];
  } else if (marker == kDri && body.size() >= 2) {
    facts.restarts = body[0] != 0 || body[1] != 0;
  } else if (marker == kSos && !body.empty()) {
    facts.scan_components = body[0];
  }
}

// False: no scan was reached.
bool read_facts(codec::Bytes file, Facts& facts) {
  size_t at = 2;
  while (at + 4 <= file.size()) {
    if (file[at] != 0xFF) {
      return false;
    }
    const uint8_t marker = file[at + 1];
    if (marker == 0xFF) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == kEoi || marker == kSoi || marker == 0 || marker == kTem ||
        (marker >= kRst0 && marker <= kRst7)) {
      return false;
    }
    const size_t length = size_t{file[at + 2]} << 8 | file[at + 3];
    if (length < 2 || file.size() - at - 2 < length) {
      return false;
    }
    take_segment(marker, file.subspan(at + 4, length - 2), facts);
    if (marker == kSos) {
      return facts.frame_marker != 0 && facts.scan_components != 0;
    }
    at += 2 + length;
  }
  return false;
}

}  // namespace

JpegKind kind_of_jpeg(codec::Bytes file) {
  if (file.size() < 3 || file[0] != 0xFF || file[1] != kSoi || file[2] != 0xFF) {
    return JpegKind::NotJpeg;
  }
  Facts facts;
  if (!read_facts(file, facts)) {
    return JpegKind::Irregular;
  }
  const uint8_t marker = facts.frame_marker;
  if (facts.components == 4) {
    return JpegKind::FourComponents;
  }
  const bool arithmetic = marker == kSof9 || marker == kSof10;
  if ((marker > kSof2 && !arithmetic) || facts.precision != 8 ||
      (facts.components != 1 && facts.components != 3)) {
    return JpegKind::Unusual;
  }
  if (arithmetic) {
    return JpegKind::Arithmetic;
  }
  if (marker == kSof2) {
    return JpegKind::Progressive;
  }
  if (facts.scan_components != facts.components) {
    return JpegKind::SeveralScans;
  }
  return facts.restarts ? JpegKind::RestartMarkers : JpegKind::Plain;
}

std::string_view name_of(JpegKind kind) {
  switch (kind) {
    case JpegKind::NotJpeg:
      return "no JPEG";
    case JpegKind::Irregular:
      return "irregular header";
    case JpegKind::FourComponents:
      return "four components (CMYK)";
    case JpegKind::Unusual:
      return "unusual JPEG";
    case JpegKind::Arithmetic:
      return "arithmetic coding";
    case JpegKind::Progressive:
      return "progressive";
    case JpegKind::SeveralScans:
      return "several scans";
    case JpegKind::RestartMarkers:
      return "restart markers";
    case JpegKind::Plain:
      return "plain";
  }
  return "";
}

}  // namespace stoker::pack
