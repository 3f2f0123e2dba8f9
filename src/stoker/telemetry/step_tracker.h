// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "stoker/telemetry/recorder.h"

namespace stoker::telemetry {

// One finished step; the phases add up to its length exactly.
struct StepRecord {
  int64_t start_ns = 0;
  std::array<int64_t, kPhaseCount> phase_ns{};
  int64_t samples = 0;

  [[nodiscard]] int64_t length_ns() const;
};

// Time that belongs to no step: between two of them, or lever work inside one.
struct PauseRecord {
  int64_t start_ns = 0;
  int64_t length_ns = 0;
  int64_t worker_start_ns = 0;  // of it, making iterators
  int64_t lever_work_ns = 0;    // of it, trying levers
  int64_t batches = 0;          // batches taken meanwhile, by a validation pass

  // "validation", "lever_work" or "epoch_start"
  [[nodiscard]] const char* kind() const;
};

class StepSink {
 public:
  virtual ~StepSink() = default;
  virtual void on_step(const StepRecord& step) = 0;
  virtual void on_pause(const PauseRecord& pause) = 0;

 protected:
  StepSink() = default;
  StepSink(const StepSink&) = default;
  StepSink& operator=(const StepSink&) = default;
};

// Turns the events of recorder.h into steps and pauses. Not thread-safe; allocates nothing.
//
// The step that is open may still turn out to be part of a validation pass: until a backward pass
// or an optimizer step is seen, asking the same loader again, the end of an iterator, or the start
// of another one turn what was there so far into a pause.
class StepTracker {
 public:
  explicit StepTracker(StepSink& sink) : sink_(sink) {}

  void loader_start_begin(int64_t now);
  void loader_start_end(int64_t now);
  // Requires: no other event comes in between.
  void lever_work_begin(int64_t now);
  void lever_work_end(int64_t now);
  void next_begin(uint64_t loader, int64_t now);
  void next_end(uint64_t loader, int64_t samples, int64_t now);
  void forward_begin(int64_t now);
  void backward_begin(int64_t now);
  void backward_end(int64_t now);
  void optimizer_begin(int64_t now);
  void optimizer_end(uint64_t optimizer, int64_t now);

  // Grows whenever a step begins, is given up or has a hole.
  [[nodiscard]] int64_t step_number() const { return step_number_; }

 private:
  static constexpr size_t kMaxDepth = 16;
  static constexpr size_t kMaxLoaders = 8;

  void advance(int64_t now);
  void push(Phase phase);
  void pop_to(Phase phase);
  [[nodiscard]] bool inside(Phase phase) const;
  [[nodiscard]] bool asked(uint64_t loader) const;
  void remember(uint64_t loader);
  void open(int64_t now);
  void close(int64_t now);
  void give_up(int64_t now);
  void ask(uint64_t loader, int64_t now);
  void train();

  StepSink& sink_;

  bool open_ = false;
  bool trained_ = false;  // a backward pass or an optimizer was seen
  bool stepped_ = false;  // an optimizer has stepped
  int64_t mark_ = 0;      // up to here time has been given to a phase
  StepRecord step_;
  int64_t step_number_ = 0;
  std::array<Phase, kMaxDepth> stack_{};
  size_t depth_ = 0;

  std::array<uint64_t, kMaxLoaders> loaders_{};  // asked in this step, in order
  size_t loader_count_ = 0;
  std::optional<uint64_t> evaluated_;  // the loader of a validation pass
  std::optional<uint64_t> trains_;     // the loader whose batch was last trained on
  std::optional<uint64_t> asking_;     // the loader whose next() runs
  int nested_ = 0;                     // next() calls inside it

  std::optional<uint64_t> first_optimizer_;  // that has stepped since the last batch
  std::optional<uint64_t> last_optimizer_;

  bool pausing_ = false;
  PauseRecord pause_;
  std::optional<int64_t> start_begin_;  // when the loader that is being started began to
  std::optional<int64_t> work_begin_;   // of lever work that goes on
  std::optional<PauseRecord> work_;     // lever work inside the step that is open
};

}  // namespace stoker::telemetry
