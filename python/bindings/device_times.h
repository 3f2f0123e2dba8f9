// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>

#include "stoker/cuda/device_clock.h"
#include "stoker/telemetry/recorder.h"

// The device's side of the steps of this process: a clock, and how torch says which stream is
// current. Only used with Python's lock held.
class DeviceTimes {
 public:
  // `raw_stream(index)` gives torch's current stream of the device as a number. Throws Python's
  // OSError where the driver cannot be used.
  DeviceTimes(int index, nanobind::object raw_stream);

  // False: this object must not be used any more. A Python error is set, unless a kernel of the
  // script has failed, which torch tells the script.
  bool mark(stoker::cuda::DeviceMark mark, stoker::telemetry::Recorder& recorder);
  // The host has waited for the batch for `wait_ns`.
  bool got(int64_t wait_ns, stoker::telemetry::Recorder& recorder);
  void pause(const stoker::telemetry::Recorder& recorder);

 private:
  bool stream(stoker::cuda::StreamHandle& stream) const;

  nanobind::object raw_stream_;
  nanobind::int_ index_;
  stoker::telemetry::Recorder* recorder_ = nullptr;  // that a mark is for, while it is made
  stoker::cuda::DeviceClock clock_;
};
