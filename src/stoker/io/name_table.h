// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stoker::io {

// Many names in one piece of memory: their characters and 4 bytes each. Reading is thread-safe.
class NameTable {
 public:
  size_t size() const { return ends_.size(); }
  size_t characters() const { return text_.size(); }
  std::string_view operator[](size_t i) const {
    const uint64_t base = bases_[i / kBlock];
    const uint64_t begin = i % kBlock == 0 ? 0 : ends_[i - 1];
    return {text_.data() + base + begin, ends_[i] - begin};
  }
  void reserve(size_t names, size_t characters);
  // Requires: a name of less than 64 KiB.
  void add(std::string_view name);
  void shrink();
  size_t memory_bytes() const;

  // For files: the three parts, and whether parts from a file fit together.
  template <class Table, class Exchange>
  static bool exchange(Table& table, Exchange& with) {
    return with.array(table.text_) && with.array(table.bases_) && with.array(table.ends_) &&
           table.is_sound();
  }

 private:
  static constexpr size_t kBlock = 65536;  // names; so an offset inside a block fits 32 bits

  bool is_sound() const;

  std::vector<char> text_;
  std::vector<uint64_t> bases_;  // where a block of names begins
  std::vector<uint32_t> ends_;   // of each name, from its block's begin
};

}  // namespace stoker::io
