// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "stoker/core/status.h"
#include "stoker/cuda/event_source.h"

namespace stoker::cuda {

// What begins on the device at a mark, up to the next one.
enum class DeviceMark : uint8_t { Got, Forward, Backward, AfterBackward, Optimizer, End };
inline constexpr int kDeviceMarkCount = 6;

// Device times of one step, from the end of the step before to its own.
struct DeviceStep {
  int64_t forward_ns = 0;
  int64_t backward_ns = 0;
  int64_t optimizer_ns = 0;
  int64_t exposed_stall_ns = 0;  // the gap before a batch came, capped by the wait for it
  int64_t step_ns = 0;
};

// Device time of the parts of a step, by events that are read two or more steps later, without a
// wait. A step in which a graph is being captured is left out, and the one that follows it.
// After the first steps only some are measured, one in four, because an event costs microseconds;
// which ones follows no period that a loader's bursts could share.
//
// Not thread-safe. Its end leaves the events to the driver, so that it is safe at any time, also
// in the child of a fork. After an error it must not be used any more.
class DeviceClock {
 public:
  using Sink = std::function<void(const DeviceStep&)>;

  static constexpr int64_t kMeasuredFirst = 8;  // steps
  // `sink` is called from within mark(), in the order of the steps. Up to step number
  // `measured_first` every step is measured.
  DeviceClock(std::unique_ptr<EventSource> events, Sink sink,
              int64_t measured_first = kMeasuredFirst);

  // Whether a mark is needed; false saves asking for the stream.
  bool wants(int64_t step, DeviceMark mark);
  // The work that is given to `stream` next belongs to `mark` of step `step`, a number that changes
  // with every step and is one more where nothing came in between. Errors: the driver's.
  Status mark(int64_t step, DeviceMark mark, StreamHandle stream);
  // As mark(Got), after the host has waited for the batch for so long.
  Status got(int64_t step, int64_t wait_ns, StreamHandle stream);
  // A loader starts: what the device does meanwhile belongs to no step. Does not call the driver.
  void pause(int64_t step);

 private:
  struct Mark {
    DeviceMark name;
    EventHandle event;
  };
  struct Step {
    int64_t number = -1;
    std::vector<Mark> marks = {};  // in the order in which they were recorded
    int64_t wait_ns = 0;
    bool measured = false;  // all its marks are wanted; otherwise at most its end
    bool follows = true;    // directly on the step before
    bool spoilt = false;    // by a capture
    StreamHandle stream = 0;
    bool one_stream = true;

    [[nodiscard]] bool whole() const {
      return !spoilt && !marks.empty() && marks.back().name == DeviceMark::End;
    }
  };

  [[nodiscard]] bool is_measured(int64_t step) const;
  void enter(int64_t number);
  Status read_old();
  Result<bool> done(const Step& step);
  Status resolve(Step step);
  Result<DeviceStep> times(EventHandle border, const Step& step);
  Result<int64_t> elapsed_ns(EventHandle begin, EventHandle end);
  Result<EventHandle> unused_event();
  void release(const Step& step);

  std::unique_ptr<EventSource> events_;
  Sink sink_;
  int64_t measured_first_;
  std::vector<EventHandle> free_;
  Step step_;
  std::deque<Step> pending_;
  std::optional<Step> last_;  // the newest that was read
  bool look_ = false;         // a step has begun since old ones were looked at
};

}  // namespace stoker::cuda
