// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "stoker/io/hash.h"

namespace stoker::io {

static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers");

constexpr uint64_t kIndexMagic = 0x31584449544B5453;  // "STKTIDX1"
constexpr uint32_t kMaxEntryBytes = 1U << 26;
constexpr uint64_t kMaxEntries = 1U << 28;  // more memory than anybody has for an index

// The first 64 bytes of an index.
struct IndexHead {
  uint64_t magic = kIndexMagic;
  uint64_t count = 0;
  uint64_t table_offset = 0;  // behind the entries; the table ends the file
  uint64_t table_hash = 0;
  std::array<uint64_t, 3> reserved{};
  uint64_t head_hash = 0;  // of all before it

  std::span<uint8_t> bytes() { return {reinterpret_cast<uint8_t*>(this), sizeof(IndexHead)}; }
  uint64_t own_hash() {
    return hash_of(std::span<const uint8_t>(bytes().first(sizeof(IndexHead) - sizeof(uint64_t))));
  }
};
static_assert(sizeof(IndexHead) == 64);

constexpr uint64_t kTableRowBytes = 8 + 8 + 4;

template <class T>
std::span<const uint8_t> as_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
std::span<uint8_t> as_writable_bytes(std::vector<T>& values) {
  return {reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace stoker::io
