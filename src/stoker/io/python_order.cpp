// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/python_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace stoker::io {
namespace {

uint32_t byte_at(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// Bytes of the sequence that `lead` begins; 0: none begins so.
size_t sequence_bytes(uint32_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) {
    return 2;
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    return 3;
  }
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

// The code point at `at`, which moves behind it.
uint32_t next_code_point(std::string_view text, size_t& at) {
  const uint32_t lead = byte_at(text, at);
  const size_t count = sequence_bytes(lead);
  const uint32_t escaped = 0xDC00 + lead;
  ++at;
  if (lead < 0x80) {
    return lead;
  }
  if (count == 0 || at - 1 + count > text.size()) {
    return escaped;
  }
  uint32_t value = lead & (0x7FU >> count);
  for (size_t i = 0; i + 1 < count; ++i) {
    const uint32_t next = byte_at(text, at + i);
    if ((next & 0xC0) != 0x80) {
      return escaped;
    }
    value = value << 6 | (next & 0x3F);
  }
  const bool overlong = (count == 3 && value < 0x800) || (count == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return escaped;
  }
  at += count - 1;
  return value;
}

}  // namespace

bool python_less(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  const auto [end_a, end_b] = std::mismatch(a.begin(), a.begin() + common, b.begin());
  size_t same = static_cast<size_t>(end_a - a.begin());
  if (same == common && a.size() == b.size()) {
    return false;
  }
  // No sequence reaches over an ASCII character.
  while (same > 0 && byte_at(a, same - 1) >= 0x80) {
    --same;
  }
  size_t at_a = same;
  size_t at_b = same;
  while (at_a < a.size() && at_b < b.size()) {
    const uint32_t from_a = next_code_point(a, at_a);
    const uint32_t from_b = next_code_point(b, at_b);
    if (from_a != from_b) {
      return from_a < from_b;
    }
  }
  return at_a == a.size() && at_b < b.size();
}

}  // namespace stoker::io
