// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace stoker::cli {

// How far long work is: "stoker: 1,200 of 5,000 images, 420 images/s, 9 s left" on one line of
// stderr that is redrawn, on a terminal only. Not thread-safe.
class ProgressLine {
 public:
  // `unit`: of what is counted, in the plural.
  explicit ProgressLine(std::string unit);
  // A line that was shown is ended.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(int64_t done, int64_t total);

 private:
  std::string unit_;
  bool terminal_;
  bool shown_ = false;
  int64_t begin_ns_, shown_ns_ = 0;
};

// The text without its colours and its place: for tests.
std::string progress_text(const std::string& unit, int64_t done, int64_t total, double seconds);

}  // namespace stoker::cli
