// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stoker::pipeline {

// How many of the threads should work, from how long the consumer had to wait. Judged over windows
// of batches: waiting for more than kStalled of the time wants one more thread, no waiting in
// several windows in a row one less. One thread.
class ThreadLimit {
 public:
  // `fixed`: stays at `most`.
  ThreadLimit(int32_t start, int32_t most, bool fixed) : now_(start), most_(most), fixed_(fixed) {}

  // After each batch: how long the consumer waited for it, and the time since the batch before.
  // Returns the number of threads that should work.
  int32_t note(int64_t waited_ns, int64_t whole_ns) {
    waited_ns_ += waited_ns;
    whole_ns_ += whole_ns;
    if (fixed_ || ++batches_ < kWindow) {
      return now_;
    }
    const double share =
        whole_ns_ > 0 ? static_cast<double>(waited_ns_) / static_cast<double>(whole_ns_) : 0;
    batches_ = 0;
    waited_ns_ = whole_ns_ = 0;
    idle_windows_ = share < kIdle ? idle_windows_ + 1 : 0;
    if (share > kStalled && now_ < most_) {
      ++now_;
    } else if (idle_windows_ >= kIdleWindows && now_ > 1) {
      --now_;
      idle_windows_ = 0;
    }
    return now_;
  }
  int32_t now() const { return now_; }

  static constexpr int32_t kWindow = 8;
  static constexpr int32_t kIdleWindows = 8;
  static constexpr double kStalled = 0.02;
  static constexpr double kIdle = 0.001;

 private:
  int32_t now_;
  int32_t most_;
  bool fixed_;
  int32_t batches_ = 0, idle_windows_ = 0;
  int64_t waited_ns_ = 0, whole_ns_ = 0;
};

}  // namespace stoker::pipeline
