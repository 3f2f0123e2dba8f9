// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/step_tracker.h"

#include <algorithm>
#include <numeric>

namespace stoker::telemetry {

int64_t StepRecord::length_ns() const {
  return std::accumulate(phase_ns.begin(), phase_ns.end(), int64_t{0});
}

const char* PauseRecord::kind() const {
  if (batches > 0) {
    return "validation";
  }
  return lever_work_ns > worker_start_ns ? "lever_work" : "epoch_start";
}

void StepTracker::advance(int64_t now) {
  // A clock that was read on another thread may lag a little; time then stands still.
  if (now <= mark_) {
    return;
  }
  const Phase phase = depth_ == 0 ? Phase::Residual : stack_[depth_ - 1];
  step_.phase_ns[static_cast<size_t>(phase)] += now - mark_;
  mark_ = now;
}

void StepTracker::push(Phase phase) {
  if (depth_ < kMaxDepth) {
    stack_[depth_++] = phase;
  }
}

// An exception may have skipped the end of a phase, so everything above goes as well.
void StepTracker::pop_to(Phase phase) {
  if (!inside(phase)) {
    return;
  }
  while (stack_[--depth_] != phase) {
  }
}

bool StepTracker::inside(Phase phase) const {
  const auto* end = stack_.begin() + depth_;
  return std::find(stack_.begin(), end, phase) != end;
}

bool StepTracker::asked(uint64_t loader) const {
  const auto* end = loaders_.begin() + loader_count_;
  return std::find(loaders_.begin(), end, loader) != end;
}

void StepTracker::remember(uint64_t loader) {
  if (!asked(loader) && loader_count_ < kMaxLoaders) {
    loaders_[loader_count_++] = loader;
  }
}

void StepTracker::open(int64_t now) {
  ++step_number_;
  open_ = true;
  trained_ = false;
  stepped_ = false;
  mark_ = std::max(mark_, now);
  step_ = StepRecord{};
  step_.start_ns = mark_;
  loader_count_ = 0;
  if (pausing_) {
    pause_.length_ns = mark_ - pause_.start_ns;
  }
}

void StepTracker::close(int64_t now) {
  advance(now);
  open_ = false;
  if (pausing_) {
    pausing_ = false;
    sink_.on_pause(pause_);
  }
  if (work_) {
    sink_.on_pause(*work_);
    work_.reset();
  }
  sink_.on_step(step_);
}

void StepTracker::give_up(int64_t now) {
  int64_t from = open_ ? step_.start_ns : now;
  if (work_) {
    from = std::min(from, work_->start_ns);
  }
  if (!pausing_) {
    pausing_ = true;
    pause_ = PauseRecord{};
    pause_.start_ns = from;
  }
  if (work_) {
    pause_.lever_work_ns += work_->lever_work_ns;
    work_.reset();
  }
  if (open_) {
    ++step_number_;
  }
  open_ = false;
  depth_ = 0;
}

void StepTracker::loader_start_begin(int64_t now) {
  if (asking_) {
    return;
  }
  if (open_ && stepped_) {
    close(now);
  }
  // A second loader that is started before the batch of the first is used belongs to the step.
  const bool in_step = open_ && (trained_ || (loader_count_ > 0 && !evaluated_));
  if (!in_step) {
    give_up(now);
  }
  start_begin_ = now;
}

void StepTracker::loader_start_end(int64_t now) {
  if (start_begin_ && !open_) {
    pause_.worker_start_ns += std::max<int64_t>(0, now - *start_begin_);
  }
  start_begin_.reset();
}

void StepTracker::lever_work_begin(int64_t now) {
  if (open_) {
    advance(now);
  } else {
    give_up(now);
  }
  // Not by one: for the device, too, what follows must not follow on what was before.
  step_number_ += 2;
  work_begin_ = now;
}

// Work inside an open step is a hole in it, and a pause of its own once the step is kept.
void StepTracker::lever_work_end(int64_t now) {
  if (!work_begin_) {
    return;
  }
  const int64_t length = std::max<int64_t>(0, now - *work_begin_);
  if (!open_) {
    pause_.lever_work_ns += length;
  } else {
    if (!work_) {
      work_ = PauseRecord{.start_ns = *work_begin_};
    }
    work_->length_ns += length;
    work_->lever_work_ns += length;
    if (!trained_ && loader_count_ == 0) {
      step_.start_ns += length;  // nothing of the step has happened yet
    }
    mark_ = std::max(mark_, now);
  }
  work_begin_.reset();
}

// Decides what asking `loader` means for the step that is open.
void StepTracker::ask(uint64_t loader, int64_t now) {
  if (open_ && stepped_) {
    close(now);
  }
  if (open_ && !trained_) {
    if (asked(loader) && loader != trains_) {
      evaluated_ = loader;
    }
    if (evaluated_ && asked(*evaluated_)) {
      give_up(now);
      ++pause_.batches;
    }
  }
  if (!open_) {
    open(now);
  }
  if (loader != evaluated_ || trained_) {
    evaluated_.reset();
  }
  remember(loader);
}

// The open step is no validation pass.
void StepTracker::train() {
  trained_ = true;
  evaluated_.reset();
  asking_.reset();
  if (loader_count_ > 0) {
    trains_ = loaders_[loader_count_ - 1];
  }
}

void StepTracker::next_begin(uint64_t loader, int64_t now) {
  if (asking_ && asking_ != loader) {
    ++nested_;
    return;
  }
  ask(loader, now);
  advance(now);
  depth_ = 0;
  push(Phase::DataWait);
  asking_ = loader;
  nested_ = 0;
  first_optimizer_.reset();
  last_optimizer_.reset();
}

void StepTracker::next_end(uint64_t loader, int64_t samples, int64_t now) {
  if (nested_ > 0 && loader != asking_) {
    --nested_;
    return;
  }
  asking_.reset();
  nested_ = 0;
  if (!open_) {
    return;
  }
  advance(now);
  depth_ = 0;
  if (samples >= 0) {
    // Batches of a second loader in the same step are further parts of the same samples.
    step_.samples += loader == loaders_[0] ? samples : 0;
    return;
  }
  if (!stepped_) {
    give_up(now);
    evaluated_.reset();
  }
}

void StepTracker::forward_begin(int64_t now) {
  // Inside a backward pass it is a checkpoint that computes again, inside next() a transform.
  if (!open_ || asking_ || inside(Phase::Backward) || inside(Phase::Forward)) {
    return;
  }
  advance(now);
  push(Phase::Forward);
}

void StepTracker::backward_begin(int64_t now) {
  if (!open_) {
    return;
  }
  train();
  advance(now);
  pop_to(Phase::Forward);
  push(Phase::Backward);
}

void StepTracker::backward_end(int64_t now) {
  if (!open_) {
    return;
  }
  advance(now);
  pop_to(Phase::Backward);
}

void StepTracker::optimizer_begin(int64_t now) {
  if (!open_) {
    return;
  }
  train();
  advance(now);
  pop_to(Phase::Forward);
  push(Phase::Optimizer);
}

void StepTracker::optimizer_end(uint64_t optimizer, int64_t now) {
  const bool again = optimizer == first_optimizer_ || optimizer == last_optimizer_;
  if (open_) {
    advance(now);
    pop_to(Phase::Optimizer);
    train();
    stepped_ = true;
  }
  if (open_ && again) {
    close(now);
    first_optimizer_.reset();
  }
  if (!open_) {
    open(now);
    depth_ = 0;
  }
  if (!first_optimizer_) {
    first_optimizer_ = optimizer;
  }
  last_optimizer_ = optimizer;
}

}  // namespace stoker::telemetry
