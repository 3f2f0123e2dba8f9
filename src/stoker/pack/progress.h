// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace stoker::pack {

// Told how far long work is, by one thread at a time.
using Progress = std::function<void(int64_t done, int64_t total)>;

// Thrown when somebody set the flag that asks long work to end. Nothing is left half done.
struct Interrupted {};

inline void end_if_asked(const std::atomic<bool>* stop) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
    throw Interrupted();
  }
}

}  // namespace stoker::pack
