// SPDX-License-Identifier: Apache-2.0
#include "stoker/cuda/device_clock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stoker::cuda {
namespace {

constexpr size_t kLater = 2;  // steps
constexpr size_t kMostPending = 64;
constexpr double kNsPerMs = 1e6;

}  // namespace

DeviceClock::DeviceClock(std::unique_ptr<EventSource> events, Sink sink, int64_t measured_first)
    : events_(std::move(events)), sink_(std::move(sink)), measured_first_(measured_first) {}

// One in four, spread evenly and without a period (Weyl's sequence of the golden ratio).
bool DeviceClock::is_measured(int64_t step) const {
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;
  return step <= measured_first_ || (static_cast<uint64_t>(step) * kGolden) >> 62 == 0;
}

bool DeviceClock::wants(int64_t step, DeviceMark mark) {
  enter(step);
  // The step after a measured border begins there.
  return step_.measured || (mark == DeviceMark::End && is_measured(step + 1));
}

Status DeviceClock::mark(int64_t step, DeviceMark mark, StreamHandle stream) {
  if (!wants(step, mark)) {
    return {};
  }
  const Result<bool> capturing = events_->capturing(stream);
  if (!capturing.ok()) {
    return capturing.status();
  }
  if (*capturing) {
    step_.spoilt = true;
    return {};
  }
  if (Status status = read_old(); !status.ok()) {
    return status;
  }
  const Result<EventHandle> event = unused_event();
  if (!event.ok()) {
    return event.status();
  }
  if (Status status = events_->record(*event, stream); !status.ok()) {
    return status;
  }
  if (step_.marks.empty()) {
    step_.stream = stream;
  }
  step_.one_stream &= step_.stream == stream;
  step_.marks.push_back({mark, *event});
  return {};
}

Status DeviceClock::got(int64_t step, int64_t wait_ns, StreamHandle stream) {
  Status status = mark(step, DeviceMark::Got, stream);
  step_.wait_ns += wait_ns;
  return status;
}

void DeviceClock::pause(int64_t step) {
  enter(step);
  step_.follows = false;
}

void DeviceClock::enter(int64_t number) {
  if (number == step_.number) {
    return;
  }
  look_ = true;
  Step old = std::exchange(step_, Step{.number = number, .measured = is_measured(number)});
  if (old.whole()) {
    step_.follows = number == old.number + 1;
    pending_.push_back(std::move(old));
  } else {
    // A pause, or a validation pass: the next step follows on nothing.
    release(old);
    step_.follows = false;
  }
}

Status DeviceClock::read_old() {
  if (!std::exchange(look_, false)) {
    return {};
  }
  while (pending_.size() > kLater) {
    const Result<bool> passed = done(pending_.front());
    if (!passed.ok()) {
      return passed.status();
    }
    if (!*passed) {
      break;
    }
    Step step = std::move(pending_.front());
    pending_.pop_front();
    if (Status status = resolve(std::move(step)); !status.ok()) {
      return status;
    }
  }
  if (pending_.size() > kMostPending) {
    release(pending_.front());
    pending_.pop_front();
    pending_.front().follows = false;
  }
  return {};
}

// A stream keeps order, so that its last event speaks for all.
Result<bool> DeviceClock::done(const Step& step) {
  const size_t first = step.one_stream ? step.marks.size() - 1 : 0;
  for (size_t i = first; i < step.marks.size(); ++i) {
    Result<bool> passed = events_->query(step.marks[i].event);
    if (!passed.ok() || !*passed) {
      return passed;
    }
  }
  return true;
}

Status DeviceClock::resolve(Step step) {
  const std::optional<Step> before = std::exchange(last_, std::move(step));
  if (!before) {
    return {};
  }
  if (last_->follows && last_->measured) {
    const Result<DeviceStep> found = times(before->marks.back().event, *last_);
    if (!found.ok()) {
      return found.status();
    }
    sink_(*found);
  }
  release(*before);
  return {};
}

// Sums of what ran from each mark to the next; the gap has what passed before a batch came.
Result<DeviceStep> DeviceClock::times(EventHandle border, const Step& step) {
  std::array<int64_t, kDeviceMarkCount> ns{};
  int64_t gap_ns = 0;
  DeviceMark name = DeviceMark::End;
  EventHandle begin = border;
  for (const Mark& next : step.marks) {
    const Result<int64_t> part = elapsed_ns(begin, next.event);
    if (!part.ok()) {
      return part.status();
    }
    (next.name == DeviceMark::Got ? gap_ns : ns[static_cast<size_t>(name)]) += *part;
    name = next.name;
    begin = next.event;
  }
  const Result<int64_t> total = elapsed_ns(border, begin);
  if (!total.ok()) {
    return total.status();
  }
  const auto of = [&](DeviceMark mark) { return ns[static_cast<size_t>(mark)]; };
  return DeviceStep{.forward_ns = of(DeviceMark::Forward),
                    .backward_ns = of(DeviceMark::Backward),
                    .optimizer_ns = of(DeviceMark::Optimizer),
                    .exposed_stall_ns = std::min(gap_ns, step.wait_ns),
                    .step_ns = *total};
}

Result<int64_t> DeviceClock::elapsed_ns(EventHandle begin, EventHandle end) {
  const Result<double> ms = events_->elapsed_ms(begin, end);
  if (!ms.ok()) {
    return ms.status();
  }
  return static_cast<int64_t>(std::llround(*ms * kNsPerMs));
}

Result<EventHandle> DeviceClock::unused_event() {
  if (free_.empty()) {
    return events_->create();
  }
  const EventHandle event = free_.back();
  free_.pop_back();
  return event;
}

void DeviceClock::release(const Step& step) {
  for (const Mark& mark : step.marks) {
    free_.push_back(mark.event);
  }
}

}  // namespace stoker::cuda
