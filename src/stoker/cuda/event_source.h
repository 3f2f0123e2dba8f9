// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "stoker/core/status.h"

namespace stoker::cuda {

struct EventObject;  // the driver's
using EventHandle = EventObject*;
using StreamHandle = uintptr_t;  // as torch gives it; 0 is the default stream

// Points in time on a device. No call waits for the device. Not thread-safe.
class EventSource {
 public:
  virtual ~EventSource() = default;
  // Lives as long as the process: whoever needs it no more keeps it for another use.
  virtual Result<EventHandle> create() = 0;
  virtual Status record(EventHandle event, StreamHandle stream) = 0;
  // Whether the device has passed what was recorded last.
  virtual Result<bool> query(EventHandle event) = 0;
  // Requires: the device has passed both.
  virtual Result<double> elapsed_ms(EventHandle begin, EventHandle end) = 0;
  // Whether work on the stream goes into a graph now, so that nothing else may touch the device.
  virtual Result<bool> capturing(StreamHandle stream) = 0;

 protected:
  EventSource() = default;
  EventSource(const EventSource&) = default;
  EventSource& operator=(const EventSource&) = default;
};

}  // namespace stoker::cuda
