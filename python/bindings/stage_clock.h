// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "stoker/telemetry/recorder.h"

int64_t monotonic_ns();

// Sums up what each stage of making batches took. A stage that runs inside another is taken out of
// the outer one, so that nothing counts twice. Only used with Python's lock held.
class StageClock {
 public:
  using Stage = stoker::telemetry::Stage;
  using Totals = std::array<int64_t, stoker::telemetry::kStageCount>;

  // Time that was just spent on `stage`, inside whatever stage runs.
  void add(Stage stage, int64_t ns) {
    totals_[static_cast<size_t>(stage)] += ns;
    inner_ns() += ns;
  }
  // The sums since the last call.
  Totals take() { return std::exchange(totals_, {}); }
  int64_t calls() const { return calls_; }
  // Of the batch that was put together last, until it is asked for.
  int64_t take_collated() { return std::exchange(collated_, 0); }
  void set_collated(int64_t samples) { collated_ = samples; }

  // Around a stage; end() wants what begin() gave.
  int64_t begin() { return std::exchange(inner_ns(), 0); }
  void end(Stage stage, int64_t elapsed_ns, int64_t begun) {
    ++calls_;
    totals_[static_cast<size_t>(stage)] += elapsed_ns - inner_ns();
    inner_ns() = begun + elapsed_ns;
  }

 private:
  // What stages inside the one that runs on this thread have taken.
  static int64_t& inner_ns() {
    thread_local int64_t ns = 0;
    return ns;
  }

  Totals totals_{};
  int64_t calls_ = 0;
  int64_t collated_ = 0;
};
