// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/parallel.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace stoker {

void parallel_for(int64_t begin, int64_t end, int threads,
                  const std::function<void(int thread, int64_t item)>& work) {
  std::atomic<int64_t> next{begin};
  std::mutex mutex;
  std::exception_ptr first;
  const auto loop = [&](int thread) {
    try {
      for (int64_t item = next.fetch_add(1); item < end; item = next.fetch_add(1)) {
        work(thread, item);
      }
    } catch (...) {
      next.store(end);
      const std::lock_guard lock(mutex);
      if (!first) {
        first = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) {
      try {
        others.emplace_back(loop, thread);
      } catch (const std::system_error&) {
        break;  // no more threads can be had: those that are there do the work
      }
    }
    loop(0);
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

}  // namespace stoker
