// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace stoker {

// Large blocks of memory that are used again and again: a fresh one costs a page fault for every
// 4 kB. Thread-safe.
class BlockPool {
 public:
  // Keeps at most `most_free` blocks that nobody uses.
  explicit BlockPool(size_t most_free) : most_free_(most_free) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // 64-byte aligned, contents undefined; throws std::bad_alloc.
  void* take(size_t size_bytes);
  // A block that take(size_bytes) gave.
  void give_back(void* block, size_t size_bytes) noexcept;
  size_t free_blocks() const;

 private:
  size_t most_free_;
  mutable std::mutex mutex_;
  size_t free_count_ = 0;
  std::map<size_t, std::vector<void*>> free_;  // by size
};

}  // namespace stoker
