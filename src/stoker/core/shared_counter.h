// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "stoker/core/status.h"

namespace stoker {

// A number that several processes count up together: the children of a fork, or, with a path, all
// that open the same file. Safe from any thread.
class SharedCounter {
 public:
  // An empty path makes a counter that only forked children share. The file is 8 bytes, reserved
  // before it is mapped.
  static Result<std::unique_ptr<SharedCounter>> open(const std::string& path);
  ~SharedCounter();
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  // Adds one and returns the value before it.
  uint64_t next() { return value_->fetch_add(1, std::memory_order_relaxed); }

  // Tells all who share the counter that counting is over: next() gives kStopped or more from now.
  void stop() { value_->fetch_or(kStopped, std::memory_order_relaxed); }
  static constexpr uint64_t kStopped = uint64_t{1} << 63;

 private:
  explicit SharedCounter(std::atomic<uint64_t>* value) : value_(value) {}
  std::atomic<uint64_t>* value_;
};

}  // namespace stoker
