// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace stoker {
namespace {

TEST(ParallelFor, EveryItemOnce) {
  std::vector<std::atomic<int>> seen(100);
  parallel_for(10, 100, 4, [&](int thread, int64_t item) {
    EXPECT_LT(thread, 4);
    ++seen[static_cast<size_t>(item)];
  });
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], i < 10 ? 0 : 1);
  }
}

TEST(ParallelFor, FirstExceptionStopsAndComesOut) {
  std::atomic<int> calls{0};
  const auto work = [&](int /*thread*/, int64_t item) {
    ++calls;
    if (item == 3) {
      throw std::runtime_error("item 3");
    }
  };
  EXPECT_THROW(parallel_for(0, 1'000'000, 2, work), std::runtime_error);
  EXPECT_LT(calls, 1'000'000);
}

}  // namespace
}  // namespace stoker
