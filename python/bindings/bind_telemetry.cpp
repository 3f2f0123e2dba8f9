// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string>
#include <utility>

#include "bindings.h"
#include "probe.h"
#include "samples.h"
#include "stoker/telemetry/process_file.h"
#include "stoker/telemetry/recorder.h"
#include "watcher.h"

namespace nb = nanobind;
using namespace nb::literals;
using stoker::telemetry::Counter;
using stoker::telemetry::ProcessInfo;
using stoker::telemetry::Recorder;
using stoker::telemetry::Role;
using stoker::telemetry::Stage;

namespace {

// Times are read here, as late as can be; a test passes its own.
int64_t at(int64_t now_ns) {
  return now_ns < 0 ? monotonic_ns() : now_ns;
}

Stage stage_of(int stage) {
  if (stage < 0 || stage >= stoker::telemetry::kStageCount) {
    throw nb::index_error("no such stage");
  }
  return static_cast<Stage>(stage);
}

Counter counter_of(int counter) {
  if (counter < 0 || counter >= stoker::telemetry::kCounterCount) {
    throw nb::index_error("no such counter");
  }
  return static_cast<Counter>(counter);
}

std::unique_ptr<Recorder> create(const std::string& path, int pid, bool worker, int rank,
                                 int world_size) {
  auto recorder = Recorder::create(path, ProcessInfo{.pid = pid,
                                                     .role = worker ? Role::Worker : Role::Main,
                                                     .rank = rank,
                                                     .world_size = world_size});
  if (!recorder.ok()) {
    PyErr_SetString(PyExc_OSError, recorder.status().message().c_str());
    throw nb::python_error();
  }
  return std::move(recorder.value());
}

void register_recorder(nb::module_& m) {
  constexpr int64_t kNow = -1;
  nb::class_<Recorder>(m, "Recorder", "Writes what this process sees into its mapped file.")
      .def_static("create", &create, "path"_a, "pid"_a, "worker"_a, "rank"_a, "world_size"_a)
      .def(
          "loader_start_begin", [](Recorder& r, int64_t t) { r.loader_start_begin(at(t)); },
          "now_ns"_a = kNow)
      .def(
          "loader_start_end", [](Recorder& r, int64_t t) { r.loader_start_end(at(t)); },
          "now_ns"_a = kNow)
      .def(
          "lever_work_begin", [](Recorder& r, int64_t t) { r.lever_work_begin(at(t)); },
          "now_ns"_a = kNow)
      .def(
          "lever_work_end", [](Recorder& r, int64_t t) { r.lever_work_end(at(t)); },
          "now_ns"_a = kNow)
      .def(
          "next_begin", [](Recorder& r, uint64_t id, int64_t t) { r.next_begin(id, at(t)); },
          "loader"_a, "now_ns"_a = kNow)
      .def(
          "next_end",
          [](Recorder& r, uint64_t id, int64_t n, int64_t t) { r.next_end(id, n, at(t)); },
          "loader"_a, "samples"_a, "now_ns"_a = kNow)
      .def(
          "forward_begin", [](Recorder& r, int64_t t) { r.forward_begin(at(t)); },
          "now_ns"_a = kNow)
      .def(
          "backward_begin", [](Recorder& r, int64_t t) { r.backward_begin(at(t)); },
          "now_ns"_a = kNow)
      .def(
          "backward_end", [](Recorder& r, int64_t t) { r.backward_end(at(t)); }, "now_ns"_a = kNow)
      .def(
          "optimizer_begin",
          [](Recorder& r, uint64_t id, int64_t t) { r.optimizer_begin(id, at(t)); }, "optimizer"_a,
          "now_ns"_a = kNow)
      .def(
          "optimizer_end", [](Recorder& r, uint64_t id, int64_t t) { r.optimizer_end(id, at(t)); },
          "optimizer"_a, "now_ns"_a = kNow)
      .def("step_number", &Recorder::step_number)
      .def("device_step", &Recorder::device_step, "forward_ns"_a, "backward_ns"_a, "optimizer_ns"_a,
           "exposed_stall_ns"_a, "step_ns"_a)
      .def(
          "add_stage", [](Recorder& r, int stage, int64_t ns) { r.add_stage(stage_of(stage), ns); },
          "stage"_a, "ns"_a)
      .def("add_batch", &Recorder::add_batch, "samples"_a)
      .def(
          "add",
          [](Recorder& r, int counter, int64_t amount) { r.add(counter_of(counter), amount); },
          "counter"_a, "amount"_a)
      .def("set_overhead_us_per_step", &Recorder::set_overhead_us_per_step, "us"_a);
}

nb::list steps_of(const stoker::telemetry::StepData& steps) {
  nb::list recent;
  for (const stoker::telemetry::StepRecord& step : steps.recent) {
    nb::dict item;
    item["start_ns"] = step.start_ns;
    item["samples"] = step.samples;
    for (int i = 0; i < stoker::telemetry::kPhaseCount; ++i) {
      item[stoker::telemetry::phase_name(static_cast<stoker::telemetry::Phase>(i))] =
          step.phase_ns[static_cast<size_t>(i)];
    }
    recent.append(item);
  }
  return recent;
}

nb::dict read_process(const std::string& path) {
  const auto data = stoker::telemetry::read_process_file(path);
  if (!data.ok()) {
    PyErr_SetString(PyExc_OSError, data.status().message().c_str());
    throw nb::python_error();
  }
  nb::dict stages;
  for (int i = 0; i < stoker::telemetry::kStageCount; ++i) {
    stages[stoker::telemetry::stage_name(static_cast<Stage>(i))] =
        data->work.stage_ns[static_cast<size_t>(i)];
  }
  nb::dict result;
  result["pid"] = data->info.pid;
  result["worker"] = data->info.role == Role::Worker;
  result["rank"] = data->info.rank;
  result["world_size"] = data->info.world_size;
  result["batches"] = data->work.batches;
  result["batch_samples"] = data->work.samples;
  result["stages"] = stages;
  result["counters"] = nb::cast(data->work.counters);
  result["step_count"] = data->steps.steps;
  result["samples"] = data->steps.samples;
  result["pause_count"] = data->steps.pause_count;
  result["pause_ns"] = data->steps.pause_ns;
  result["pause_lever_work_ns"] = data->steps.pause_lever_work_ns;
  result["overhead_us"] = data->steps.overhead_us;
  result["device_steps"] = data->steps.device[0].count();
  result["recent"] = steps_of(data->steps);
  return result;
}

}  // namespace

void register_telemetry(nb::module_& m) {
  register_recorder(m);
  register_probe(m);
  nb::class_<Watcher>(m, "Watcher", "Turns what a training loop passes into calls of a Recorder.")
      .def(nb::init<nb::object, nb::object, nb::object, nb::object>(), "make"_a, "silent"_a.none(),
           "grad_enabled"_a, "fault"_a)
      .def("here", &Watcher::here)
      .def("forget", &Watcher::forget)
      .def("forward_begin", &Watcher::forward_begin)
      .def("model_called", &Watcher::model_called, "module"_a)
      .def("know_iterator", &Watcher::know_iterator, "iterator"_a, "number"_a, "batch_size"_a)
      .def("set_device", &Watcher::set_device, "index"_a, "raw_stream"_a, "fault"_a)
      .def("pause_device", &Watcher::pause_device)
      .def("lever_work_begin", &Watcher::lever_work_begin)
      .def("lever_work_end", &Watcher::lever_work_end)
      .def("steps", &Watcher::steps, nb::rv_policy::reference)
      .def("batches", &Watcher::batches, nb::rv_policy::reference)
      .def(
          "add_stage_time",
          [](Watcher& w, int stage, int64_t ns) { w.clock.add(stage_of(stage), ns); }, "stage"_a,
          "ns"_a)
      .def(
          "set_unseen_ns",
          [](Watcher& w, double probe, double timer) { w.meter.set_unseen_ns(probe, timer); },
          "probe"_a, "timer"_a)
      .def_prop_ro("probe_sum_ns", [](const Watcher& w) { return w.meter.probe_sum_ns(); });
  m.def("probe", &make_probe, "original"_a.none(), "enter"_a.none(), "leave"_a.none(), "fault"_a);
  m.def("event_probe", &make_event_probe, "original"_a.none(), "watcher"_a, "event"_a);
  m.def("forward_probe", &make_forward_probe, "module"_a, "compiled"_a, "watcher"_a);
  m.def("stage_timer", &make_stage_timer, "original"_a, "watcher"_a, "stage"_a);
  m.def("samples_of", &samples_of, "batch"_a.none(), "expected"_a);
  m.def("read_process", &read_process, "path"_a, "What a recorder has written so far.");
  // Hooks stay in torch until the process ends, which nanobind would report on stderr.
  m.def("allow_objects_at_exit", [] { nb::set_leak_warnings(false); });
}
