// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stoker::io {

// XXH3-64.
uint64_t hash_of(std::string_view text);
uint64_t hash_of(std::span<const uint8_t> bytes);

// The same of bytes that come piece by piece. One thread.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  RunningHash(const RunningHash&) = delete;
  RunningHash& operator=(const RunningHash&) = delete;

  void add(std::span<const uint8_t> bytes);
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A hash of arrays, with the functions of ListWriter (list_cache.h). One thread.
class HashWriter {
 public:
  template <class T>
  bool array(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const uint64_t count = values.size();
    add(&count, sizeof(count));
    add(values.data(), values.size() * sizeof(T));
    return true;
  }
  bool strings(const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      add(value.c_str(), value.size() + 1);
    }
    return true;
  }
  uint64_t value() const { return hash_.value(); }

 private:
  void add(const void* data, size_t bytes) {
    hash_.add({static_cast<const uint8_t*>(data), bytes});
  }
  RunningHash hash_;
};

}  // namespace stoker::io
