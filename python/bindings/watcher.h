// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "device_times.h"
#include "overhead_meter.h"
#include "stage_clock.h"
#include "stoker/telemetry/recorder.h"

// The places of a training loop that are passed in every step (or batch), in the numbers that
// Python uses.
enum class Event : uint8_t { Next, Fetch, Forward, Backward, OptimizerBegin, OptimizerEnd };
inline constexpr int kEventCount = 6;

// Turns passing those places into calls of this process's Recorder. Native, because Python code
// that runs a few times a step is cold each time and would cost ten times as much. Only used with
// Python's lock held.
class Watcher {
 public:
  // `make()` gives (Recorder or None, is a loader worker) at the first event. `silent()` is called
  // when optimizers step but the model is never called. `fault(error)` hears of errors.
  Watcher(nanobind::object make, nanobind::object silent, nanobind::object grad_enabled,
          nanobind::object fault);

  // False: an error that is the script's own, such as KeyboardInterrupt, came up; it is set.
  bool enter(Event event, PyObject* first);
  // `error_type` is null where there was none; no error may be set.
  bool leave(Event event, PyObject* first, PyObject* result, PyObject* error_type);

  // True on the thread that trains; what other threads read from loaders keeps nobody waiting.
  bool here();
  // The recorder of steps, or null where there is none or this is a loader worker.
  stoker::telemetry::Recorder* steps();
  stoker::telemetry::Recorder* batches();
  void know_iterator(nanobind::handle iterator, uint64_t number, int64_t batch_size);
  void forward_begin();
  // Begins forward if the module trains, and counts what that cost.
  void model_called(nanobind::handle module);
  // From now on steps are timed on this device too, unless one is timed already; `fault(error)`
  // hears why it ends. Arguments and errors as of DeviceTimes.
  void set_device(int index, nanobind::object raw_stream, nanobind::object fault);
  // A loader starts: what the device does meanwhile belongs to no step.
  void pause_device();
  // Levers are tried between these two: what the loop seems to do meanwhile is none of its own.
  // They may lie inside each other. Call them on the thread that trains.
  void lever_work_begin();
  void lever_work_end();
  // In the child of a fork: the parent's file stays as it is.
  void forget();

  StageClock clock;
  OverheadMeter meter;

 private:
  struct Loader {
    uint64_t number = 0;
    int64_t batch_size = 0;
  };
  void entered(Event event, PyObject* first);
  void make();
  void claim();
  Loader loader_of(PyObject* iterator) const;
  void fetched(PyObject* error_type);
  void got(PyObject* iterator, PyObject* batch, PyObject* error_type);
  void backward(bool begins);
  bool trains(PyObject* module) const;
  void optimizer_begin(PyObject* optimizer);
  void optimizer_end(PyObject* optimizer);
  void mark(stoker::cuda::DeviceMark mark, stoker::telemetry::Recorder& recorder);
  void mark_got(stoker::telemetry::Recorder& recorder, int64_t now);
  void leave_device();
  void report(const nanobind::object& fault);
  bool restore_interrupt();

  nanobind::object make_;
  nanobind::object silent_;
  nanobind::object grad_enabled_;
  nanobind::object fault_;
  std::unique_ptr<DeviceTimes> device_;
  nanobind::object device_fault_;
  int64_t asked_ns_ = 0;
  nanobind::object recorder_object_;
  stoker::telemetry::Recorder* recorder_ = nullptr;
  bool made_ = false;
  bool worker_ = false;
  unsigned long thread_ = 0;
  int backward_depth_ = 0;
  int lever_work_depth_ = 0;
  int steps_without_forward_ = 0;
  std::unordered_map<PyObject*, Loader> loaders_;
  nanobind::object interrupt_;  // what report() must not swallow
};
