// SPDX-License-Identifier: Apache-2.0
#include "device_times.h"

#include <utility>

#include "stoker/cuda/driver.h"
#include "stoker/cuda/driver_events.h"

namespace nb = nanobind;
using stoker::Result;
using stoker::Status;
using stoker::cuda::DeviceMark;
using stoker::cuda::DeviceStep;
using stoker::cuda::EventSource;
using stoker::cuda::StreamHandle;
using stoker::telemetry::Recorder;

namespace {

bool is_ok(const Status& status) {
  if (!status.ok() && status.code() != stoker::ErrorCode::Corrupt) {
    PyErr_SetString(PyExc_OSError, status.message().c_str());
  }
  return status.ok();
}

[[noreturn]] void raise(const Status& status) {
  PyErr_SetString(PyExc_OSError, status.message().c_str());
  throw nb::python_error();
}

std::unique_ptr<EventSource> events_of(int index) {
  const Result<stoker::cuda::Driver> driver = stoker::cuda::open_driver();
  if (!driver.ok()) {
    raise(driver.status());
  }
  Result<std::unique_ptr<EventSource>> events = stoker::cuda::driver_events(*driver, index);
  if (!events.ok()) {
    raise(events.status());
  }
  return std::move(*events);
}

}  // namespace

DeviceTimes::DeviceTimes(int index, nb::object raw_stream)
    : raw_stream_(std::move(raw_stream)),
      index_(index),
      clock_(events_of(index), [this](const DeviceStep& step) {
        recorder_->device_step(step.forward_ns, step.backward_ns, step.optimizer_ns,
                               step.exposed_stall_ns, step.step_ns);
      }) {}

bool DeviceTimes::stream(StreamHandle& stream) const {
  const nb::object number = nb::steal(PyObject_CallOneArg(raw_stream_.ptr(), index_.ptr()));
  if (!number.is_valid()) {
    return false;
  }
  stream = reinterpret_cast<StreamHandle>(PyLong_AsVoidPtr(number.ptr()));
  return PyErr_Occurred() == nullptr;
}

bool DeviceTimes::mark(DeviceMark mark, Recorder& recorder) {
  if (!clock_.wants(recorder.step_number(), mark)) {
    return true;
  }
  StreamHandle current = 0;
  recorder_ = &recorder;
  return stream(current) && is_ok(clock_.mark(recorder.step_number(), mark, current));
}

bool DeviceTimes::got(int64_t wait_ns, Recorder& recorder) {
  if (!clock_.wants(recorder.step_number(), DeviceMark::Got)) {
    return true;
  }
  StreamHandle current = 0;
  recorder_ = &recorder;
  return stream(current) && is_ok(clock_.got(recorder.step_number(), wait_ns, current));
}

void DeviceTimes::pause(const Recorder& recorder) {
  clock_.pause(recorder.step_number());
}
