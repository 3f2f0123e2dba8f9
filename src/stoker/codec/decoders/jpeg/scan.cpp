// SPDX-License-Identifier: Apache-2.0
#include "stoker/codec/decoders/jpeg/scan.h"

#include <cstring>

namespace stoker::codec::jpeg {
namespace {

uint64_t expected_restarts(const Header& header) {
  if (header.restart_interval == 0) {
    return 0;
  }
  return (uint64_t{header.mcus_x()} * header.mcus_y() - 1) / header.restart_interval;
}

}  // namespace

size_t scan_end(Bytes data, const Header& header) {
  const uint8_t* p = data.data() + header.scan_begin;
  const uint8_t* const end = data.data() + data.size();
  const uint64_t expected = expected_restarts(header);
  uint64_t restarts = 0;
  while (p < end) {
    p = static_cast<const uint8_t*>(std::memchr(p, 0xFF, static_cast<size_t>(end - p)));
    if (p == nullptr || p + 1 >= end) {
      return 0;
    }
    const uint8_t code = p[1];
    p += 2;
    if (code == 0) {
      continue;
    }
    if (code == kEoi) {
      return restarts == expected ? static_cast<size_t>(p - data.data()) : 0;
    }
    if (restarts == expected || code != kRst0 + restarts % 8) {
      return 0;
    }
    ++restarts;
  }
  return 0;
}

size_t clean_end(Bytes data) {
  Header header;
  return read_header(data, header) ? scan_end(data, header) : 0;
}

}  // namespace stoker::codec::jpeg
