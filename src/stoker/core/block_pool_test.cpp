// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/block_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace stoker {
namespace {

TEST(BlockPool, GivesTheSameBlockAgain) {
  BlockPool pool(2);
  void* first = pool.take(5 << 20);
  std::memset(first, 7, 5 << 20);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 64, 0U);
  pool.give_back(first, 5 << 20);
  EXPECT_EQ(pool.free_blocks(), 1U);
  EXPECT_EQ(pool.take(5 << 20), first);
  EXPECT_EQ(pool.free_blocks(), 0U);
  pool.give_back(first, 5 << 20);
}

TEST(BlockPool, OtherSizesGetOtherBlocks) {
  BlockPool pool(2);
  void* first = pool.take(1000);
  pool.give_back(first, 1000);
  void* other = pool.take(2000);
  EXPECT_NE(other, first);
  EXPECT_EQ(pool.free_blocks(), 1U);
  pool.give_back(other, 2000);
}

TEST(BlockPool, KeepsNoMoreThanItMay) {
  BlockPool pool(2);
  void* blocks[4];
  for (void*& block : blocks) {
    block = pool.take(100);
  }
  for (void* block : blocks) {
    pool.give_back(block, 100);
  }
  EXPECT_EQ(pool.free_blocks(), 2U);
}

}  // namespace
}  // namespace stoker
