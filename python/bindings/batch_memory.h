// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "stoker/core/block_pool.h"

// Memory for tensors that comes back when the last tensor over it is gone, wherever that happens:
// handed to torch by DLPack, whose deleter needs no interpreter.
class BatchMemory {
 public:
  explicit BatchMemory(size_t most_free) : pool_(std::make_shared<stoker::BlockPool>(most_free)) {}

  // A DLPack capsule. `code`: 0 int, 1 uint, 2 float, 4 bfloat; strides in elements.
  nanobind::object tensor(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
                          int code, int bits) const;
  size_t free_blocks() const { return pool_->free_blocks(); }

 private:
  std::shared_ptr<stoker::BlockPool> pool_;
};
