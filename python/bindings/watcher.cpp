// SPDX-License-Identifier: Apache-2.0
#include "watcher.h"

#include <time.h>

#include <utility>

#include "samples.h"

namespace nb = nanobind;
using stoker::cuda::DeviceMark;
using stoker::telemetry::Recorder;
using stoker::telemetry::Stage;

int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

namespace {

constexpr int kStepsWithoutForward = 3;

struct Names {
  PyObject* training = PyUnicode_InternFromString("training");
};

const Names& names() {
  static const Names kNames;
  return kNames;
}

uint64_t number_of(PyObject* object) {
  return reinterpret_cast<uintptr_t>(object);
}

bool is_true(PyObject* value) {
  const bool yes = value == Py_True;
  Py_XDECREF(value);
  PyErr_Clear();
  return yes;
}

}  // namespace

Watcher::Watcher(nb::object make, nb::object silent, nb::object grad_enabled, nb::object fault)
    : make_(std::move(make)),
      silent_(std::move(silent)),
      grad_enabled_(std::move(grad_enabled)),
      fault_(std::move(fault)) {}

// Requires: a Python error is set.
void Watcher::report(const nb::object& fault) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  const nb::object held_type = nb::steal(type);
  const nb::object held_traceback = nb::steal(traceback);
  nb::object error = nb::steal(value);
  if (PyErr_GivenExceptionMatches(type, PyExc_Exception) == 0) {
    interrupt_ = std::move(error);
    return;
  }
  Py_XDECREF(PyObject_CallOneArg(fault.ptr(), error.is_valid() ? error.ptr() : Py_None));
  PyErr_Clear();
}

// Returns false after setting the error that a callback was interrupted by.
bool Watcher::restore_interrupt() {
  if (!interrupt_.is_valid()) {
    return true;
  }
  const nb::object error = std::exchange(interrupt_, nb::object());
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  return false;
}

void Watcher::make() {
  made_ = true;
  const nb::object made = nb::steal(PyObject_CallNoArgs(make_.ptr()));
  if (!made.is_valid()) {
    report(fault_);
    return;
  }
  if (!PyTuple_Check(made.ptr()) || PyTuple_GET_SIZE(made.ptr()) != 2) {
    return;
  }
  recorder_object_ = nb::borrow(PyTuple_GET_ITEM(made.ptr(), 0));
  worker_ = PyTuple_GET_ITEM(made.ptr(), 1) == Py_True;
  if (nb::isinstance<Recorder>(recorder_object_)) {
    recorder_ = nb::inst_ptr<Recorder>(recorder_object_);
  }
}

void Watcher::forget() {
  recorder_object_.release();
  device_.reset();
  recorder_ = nullptr;
  made_ = worker_ = false;
  thread_ = 0;
  backward_depth_ = lever_work_depth_ = 0;
  clock.take();
}

bool Watcher::here() {
  const unsigned long thread = PyThread_get_thread_ident();
  if (thread_ == 0) {
    thread_ = thread;
  }
  return thread_ == thread;
}

void Watcher::claim() {
  const unsigned long thread = PyThread_get_thread_ident();
  if (std::exchange(thread_, thread) != thread) {
    backward_depth_ = 0;
  }
}

Recorder* Watcher::batches() {
  if (!made_) {
    make();
  }
  return recorder_;
}

Recorder* Watcher::steps() {
  Recorder* recorder = batches();
  return worker_ ? nullptr : recorder;
}

void Watcher::know_iterator(nb::handle iterator, uint64_t number, int64_t batch_size) {
  loaders_[iterator.ptr()] = {number, batch_size};
}

Watcher::Loader Watcher::loader_of(PyObject* iterator) const {
  const auto found = loaders_.find(iterator);
  return found == loaders_.end() ? Loader{} : found->second;
}

void Watcher::set_device(int index, nb::object raw_stream, nb::object fault) {
  if (!device_) {
    device_ = std::make_unique<DeviceTimes>(index, std::move(raw_stream));
    device_fault_ = std::move(fault);
  }
}

void Watcher::pause_device() {
  if (const Recorder* recorder = device_ ? steps() : nullptr) {
    device_->pause(*recorder);
  }
}

void Watcher::lever_work_begin() {
  if (++lever_work_depth_ == 1) {
    if (Recorder* recorder = steps()) {
      recorder->lever_work_begin(monotonic_ns());
    }
  }
}

void Watcher::lever_work_end() {
  if (lever_work_depth_ == 0) {
    return;
  }
  --lever_work_depth_;
  if (Recorder* recorder = lever_work_depth_ == 0 ? steps() : nullptr) {
    recorder->lever_work_end(monotonic_ns());
  }
}

void Watcher::mark(DeviceMark mark, Recorder& recorder) {
  if (device_ && !device_->mark(mark, recorder)) {
    leave_device();
  }
}

void Watcher::mark_got(Recorder& recorder, int64_t now) {
  if (device_ && !device_->got(now - asked_ns_, recorder)) {
    leave_device();
  }
}

void Watcher::leave_device() {
  if (PyErr_Occurred() != nullptr) {
    report(device_fault_);
  }
  device_.reset();
}

bool Watcher::enter(Event event, PyObject* first) {
  if (lever_work_depth_ == 0) {
    entered(event, first);
  }
  return restore_interrupt();
}

void Watcher::entered(Event event, PyObject* first) {
  if (event == Event::OptimizerBegin || event == Event::OptimizerEnd) {
    claim();
  }
  if (!here()) {
    return;
  }
  if (event == Event::OptimizerBegin) {
    optimizer_begin(first);
  } else if (event == Event::OptimizerEnd) {
    optimizer_end(first);
  } else if (event == Event::Backward) {
    backward(true);
  } else if (event == Event::Forward) {
    if (trains(first)) {
      forward_begin();
    }
  } else if (event == Event::Next) {
    if (Recorder* recorder = steps()) {
      asked_ns_ = monotonic_ns();
      recorder->next_begin(loader_of(first).number, asked_ns_);
    }
  }
}

bool Watcher::leave(Event event, PyObject* first, PyObject* result, PyObject* error_type) {
  if (event == Event::Fetch) {
    fetched(error_type);
  } else if (lever_work_depth_ == 0 && here()) {
    if (event == Event::Next) {
      got(first, result, error_type);
    } else if (event == Event::Backward) {
      backward(false);
    }
  }
  return restore_interrupt();
}

void Watcher::fetched(PyObject* error_type) {
  const StageClock::Totals totals = clock.take();
  const int64_t samples = clock.take_collated();
  Recorder* recorder = batches();
  if (recorder == nullptr) {
    return;
  }
  for (size_t i = 0; i < totals.size(); ++i) {
    if (totals[i] != 0) {
      recorder->add_stage(static_cast<Stage>(i), totals[i]);
    }
  }
  if (error_type == nullptr) {
    recorder->add_batch(samples);
  }
}

void Watcher::got(PyObject* iterator, PyObject* batch, PyObject* error_type) {
  Recorder* recorder = steps();
  if (recorder == nullptr) {
    return;
  }
  const int64_t now = monotonic_ns();
  const Loader loader = loader_of(iterator);
  if (error_type == nullptr) {
    recorder->next_end(loader.number, samples_of(batch, loader.batch_size), now);
    mark_got(*recorder, now);
  } else {
    const bool ended = PyErr_GivenExceptionMatches(error_type, PyExc_StopIteration) != 0;
    recorder->next_end(loader.number, ended ? -1 : 0, now);
  }
}

// Inside a pass, a checkpoint that is computed again makes passes of its own.
void Watcher::backward(bool begins) {
  Recorder* recorder = steps();
  if (recorder == nullptr || (!begins && backward_depth_ == 0)) {
    return;
  }
  if (begins && ++backward_depth_ == 1) {
    recorder->backward_begin(monotonic_ns());
    mark(DeviceMark::Backward, *recorder);
  } else if (!begins && --backward_depth_ == 0) {
    recorder->backward_end(monotonic_ns());
    mark(DeviceMark::AfterBackward, *recorder);
  }
}

bool Watcher::trains(PyObject* module) const {
  return is_true(PyObject_GetAttr(module, names().training)) &&
         is_true(PyObject_CallNoArgs(grad_enabled_.ptr()));
}

void Watcher::model_called(nb::handle module) {
  const int64_t before = monotonic_ns();
  if (here() && trains(module.ptr())) {
    forward_begin();
  }
  meter.add_probe(monotonic_ns() - before);
}

void Watcher::forward_begin() {
  if (lever_work_depth_ > 0) {
    return;
  }
  steps_without_forward_ = 0;
  if (Recorder* recorder = steps()) {
    recorder->forward_begin(monotonic_ns());
    mark(DeviceMark::Forward, *recorder);
  }
}

void Watcher::optimizer_begin(PyObject* optimizer) {
  if (Recorder* recorder = steps()) {
    recorder->optimizer_begin(number_of(optimizer), monotonic_ns());
    mark(DeviceMark::Optimizer, *recorder);
  }
}

void Watcher::optimizer_end(PyObject* optimizer) {
  Recorder* recorder = steps();
  if (recorder == nullptr) {
    return;
  }
  // First, while the step that it belongs to is still open.
  mark(DeviceMark::End, *recorder);
  recorder->optimizer_end(number_of(optimizer), monotonic_ns());
  if (meter.step(clock.calls())) {
    recorder->set_overhead_us_per_step(meter.median_us());
  }
  if (++steps_without_forward_ > kStepsWithoutForward && !silent_.is_none()) {
    steps_without_forward_ = 0;
    PyObject* done = PyObject_CallNoArgs(silent_.ptr());
    if (done == nullptr) {
      silent_ = nb::none();
      report(fault_);
    }
    Py_XDECREF(done);
  }
}
