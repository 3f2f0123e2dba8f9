// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/block_pool.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace stoker {
namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;

void* allocate(size_t size_bytes) {
  const size_t alignment = size_bytes >= kHugePageBytes ? kHugePageBytes : 64;
  const size_t rounded = (size_bytes + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, rounded);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  if (alignment == kHugePageBytes) {
    // A wish alone: systems without huge pages refuse, and lose nothing.
    static_cast<void>(madvise(block, rounded, MADV_HUGEPAGE));
  }
  return block;
}

}  // namespace

BlockPool::~BlockPool() {
  for (const auto& [size_bytes, blocks] : free_) {
    for (void* block : blocks) {
      std::free(block);
    }
  }
}

void* BlockPool::take(size_t size_bytes) {
  {
    const std::lock_guard lock(mutex_);
    std::vector<void*>& blocks = free_[size_bytes];
    if (!blocks.empty()) {
      void* block = blocks.back();
      blocks.pop_back();
      --free_count_;
      return block;
    }
    blocks.reserve(most_free_);  // giving back must not allocate
  }
  return allocate(size_bytes);
}

void BlockPool::give_back(void* block, size_t size_bytes) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (free_count_ < most_free_) {
      free_[size_bytes].push_back(block);
      ++free_count_;
      return;
    }
  }
  std::free(block);
}

size_t BlockPool::free_blocks() const {
  const std::lock_guard lock(mutex_);
  return free_count_;
}

}  // namespace stoker
