// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

// What one step of watching costs: the median of what probes have taken in the last steps. The
// median, because a process that waits for its core does so inside probes too.
class OverheadMeter {
 public:
  // What a probe's call and a timer's call take beyond what they measure of themselves.
  void set_unseen_ns(double probe, double timer) { probe_ns_ = probe, timer_ns_ = timer; }
  void add_probe(int64_t ns) { probe_sum_ns_ += ns, ++probe_calls_; }
  int64_t probe_sum_ns() const { return probe_sum_ns_; }
  // A step ends; true now and then, when median_us() is worth a look.
  bool step(int64_t timer_calls);
  double median_us() const;

 private:
  std::array<int64_t, 101> costs_{};
  int64_t steps_ = 0;
  int64_t probe_sum_ns_ = 0;
  int64_t probe_calls_ = 0;
  double probe_ns_ = 0;
  double timer_ns_ = 0;
  double last_ns_ = 0;
};
