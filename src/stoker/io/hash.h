// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "stoker/core/hash.h"

namespace stoker::io {

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
