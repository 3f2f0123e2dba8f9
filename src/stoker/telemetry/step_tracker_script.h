// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "stoker/telemetry/step_tracker.h"

// For tests alone.
namespace stoker::telemetry {

class Collector final : public StepSink {
 public:
  void on_step(const StepRecord& step) override { steps.push_back(step); }
  void on_pause(const PauseRecord& pause) override { pauses.push_back(pause); }
  std::vector<StepRecord> steps;
  std::vector<PauseRecord> pauses;
};

// A script on a clock that only moves when it works. Times in ns.
class StepTrackerTest : public testing::Test {
 protected:
  void work(int64_t ns) { now += ns; }
  void start_loader(int64_t ns) {
    tracker.loader_start_begin(now);
    work(ns);
    tracker.loader_start_end(now);
  }
  void try_levers(int64_t ns) {
    tracker.lever_work_begin(now);
    work(ns);
    tracker.lever_work_end(now);
  }
  void next(uint64_t loader, int64_t wait, int64_t samples = 8) {
    tracker.next_begin(loader, now);
    work(wait);
    tracker.next_end(loader, samples, now);
  }
  void end_of(uint64_t loader) { next(loader, 1, -1); }
  void forward(int64_t ns) {
    tracker.forward_begin(now);
    work(ns);
  }
  void backward(int64_t ns) {
    tracker.backward_begin(now);
    work(ns);
    tracker.backward_end(now);
  }
  void optimize(uint64_t optimizer, int64_t ns) {
    tracker.optimizer_begin(now);
    work(ns);
    tracker.optimizer_end(optimizer, now);
  }
  // 10 + 20 + 30 + 5, and 3 ns of the script's own.
  void plain_step(uint64_t loader) {
    next(loader, 10);
    forward(20);
    backward(30);
    optimize(1, 5);
    work(3);
  }

  static int64_t of(const StepRecord& step, Phase phase) {
    return step.phase_ns[static_cast<size_t>(phase)];
  }

  int64_t now = 1000;
  Collector seen;
  StepTracker tracker{seen};
};

// data wait, transfer, forward, backward, optimizer, sync, residual
inline constexpr std::array<int64_t, kPhaseCount> kPlain = {10, 0, 20, 30, 5, 0, 3};

}  // namespace stoker::telemetry
