// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace stoker {

// Scratch memory that only grows: 64-byte aligned, contents undefined after resize(). One owner,
// one thread.
class Buffer {
 public:
  // At least `size_bytes` bytes; throws std::bad_alloc.
  uint8_t* resize(size_t size_bytes) {
    if (size_bytes > capacity_) {
      const size_t rounded = (size_bytes + 63) / 64 * 64;
      data_.reset(static_cast<uint8_t*>(std::aligned_alloc(64, rounded)));
      capacity_ = data_ ? rounded : 0;
      if (!data_) {
        throw std::bad_alloc();
      }
    }
    return data_.get();
  }
  uint8_t* data() const { return data_.get(); }
  size_t capacity_bytes() const { return capacity_; }

 private:
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };
  std::unique_ptr<uint8_t, Free> data_;
  size_t capacity_ = 0;
};

}  // namespace stoker
