// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <structmember.h>
#include <time.h>

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace nb = nanobind;
using stoker::telemetry::Stage;

int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

namespace {
// Time that stages inside the one that runs on this thread have taken.
thread_local int64_t t_inner_ns = 0;
}  // namespace

void StageClock::add(Stage stage, int64_t ns) {
  totals_[static_cast<size_t>(stage)] += ns;
  t_inner_ns += ns;
}

StageClock::Totals StageClock::take() {
  return std::exchange(totals_, {});
}

int64_t StageClock::begin() {
  return std::exchange(t_inner_ns, 0);
}

void StageClock::end(Stage stage, int64_t elapsed_ns, int64_t outer_inner_ns) {
  ++calls_;
  totals_[static_cast<size_t>(stage)] += elapsed_ns - t_inner_ns;
  t_inner_ns = outer_inner_ns + elapsed_ns;
}

ProbeCost& probe_cost() {
  static ProbeCost cost;
  return cost;
}

namespace {

struct Probe {
  PyObject_HEAD vectorcallfunc call;
  PyObject* original;
  PyObject* enter;
  PyObject* leave;
  PyObject* fault;
  PyObject* clock_object;
  StageClock* clock;
  Stage stage;
  PyObject* dict;
  PyObject* weak;
};

Probe* self_of(PyObject* object) {
  return reinterpret_cast<Probe*>(object);
}

// An exception that is put aside while other Python code runs.
class PendingError {
 public:
  PendingError() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~PendingError() {
    Py_XDECREF(type_);
    Py_XDECREF(value_);
    Py_XDECREF(traceback_);
  }
  PendingError(const PendingError&) = delete;
  PendingError& operator=(const PendingError&) = delete;

  PyObject* type() const { return type_ == nullptr ? Py_None : type_; }
  PyObject* normalised() {
    PyErr_NormalizeException(&type_, &value_, &traceback_);
    return value_ == nullptr ? Py_None : value_;
  }
  void restore() {
    PyErr_Restore(std::exchange(type_, nullptr), std::exchange(value_, nullptr),
                  std::exchange(traceback_, nullptr));
  }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

// Returns false if the error in flight is not ours to swallow.
bool switch_off(Probe* probe) {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) {
    return false;
  }
  PendingError error;
  Py_CLEAR(probe->enter);
  Py_CLEAR(probe->leave);
  PyObject* done = PyObject_CallOneArg(probe->fault, error.normalised());
  Py_XDECREF(done);
  PyErr_Clear();
  return true;
}

bool run_enter(Probe* probe, PyObject* first) {
  if (probe->enter == nullptr) {
    return true;
  }
  PyObject* done = PyObject_CallOneArg(probe->enter, first);
  Py_XDECREF(done);
  return done != nullptr || switch_off(probe);
}

bool run_leave(Probe* probe, PyObject* first, PyObject* result, PyObject* error) {
  if (probe->leave == nullptr) {
    return true;
  }
  PyObject* args[] = {first, result == nullptr ? Py_None : result, error};
  PyObject* done = PyObject_Vectorcall(probe->leave, args, 3, nullptr);
  Py_XDECREF(done);
  return done != nullptr || switch_off(probe);
}

PyObject* call_original(const Probe* probe, PyObject* const* args, size_t flags, PyObject* names) {
  if (probe->original == Py_None) {
    Py_RETURN_NONE;
  }
  return PyObject_Vectorcall(probe->original, args, flags, names);
}

PyObject* call_probe(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  Probe* probe = self_of(self);
  ProbeCost& cost = probe_cost();
  PyObject* first = PyVectorcall_NARGS(flags) > 0 ? args[0] : Py_None;
  Py_INCREF(self);
  Py_INCREF(first);
  const int64_t before = monotonic_ns();
  PyObject* result = nullptr;
  if (run_enter(probe, first)) {
    const int64_t entered = monotonic_ns();
    result = call_original(probe, args, flags, names);
    const int64_t left = monotonic_ns();
    if (result != nullptr) {
      if (!run_leave(probe, first, result, Py_None)) {
        Py_CLEAR(result);
      }
    } else {
      PendingError error;
      if (run_leave(probe, first, nullptr, error.type())) {
        error.restore();
      }
    }
    cost.ns += (entered - before) + (monotonic_ns() - left);
    ++cost.calls;
  }
  Py_DECREF(first);
  Py_DECREF(self);
  return result;
}

PyObject* call_timer(PyObject* self, PyObject* const* args, size_t flags, PyObject* names) {
  Probe* probe = self_of(self);
  Py_INCREF(self);
  const int64_t outer = probe->clock->begin();
  const int64_t before = monotonic_ns();
  PyObject* result = call_original(probe, args, flags, names);
  probe->clock->end(probe->stage, monotonic_ns() - before, outer);
  Py_DECREF(self);
  return result;
}

PyObject* bind_to(PyObject* self, PyObject* instance, PyObject* /*type*/) {
  if (instance == nullptr || instance == Py_None) {
    return Py_NewRef(self);
  }
  return PyMethod_New(self, instance);
}

// A wrapped function pickles by its name, like any function. One that hangs on an object is no part
// of the object's state: its place is empty in the copy.
PyObject* reduce(PyObject* self, PyObject* /*unused*/) {
  const Probe* probe = self_of(self);
  if (probe->dict != nullptr) {
    PyObject* name = PyDict_GetItemString(probe->dict, "__qualname__");
    if (name != nullptr) {
      return Py_NewRef(name);
    }
  }
  return Py_BuildValue("(O())", reinterpret_cast<PyObject*>(Py_TYPE(Py_None)));
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  const Probe* probe = self_of(self);
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(probe->original);
  Py_VISIT(probe->enter);
  Py_VISIT(probe->leave);
  Py_VISIT(probe->fault);
  Py_VISIT(probe->clock_object);
  Py_VISIT(probe->dict);
  return 0;
}

int clear(PyObject* self) {
  Probe* probe = self_of(self);
  probe->call = call_probe;
  Py_XSETREF(probe->original, Py_NewRef(Py_None));
  Py_CLEAR(probe->enter);
  Py_CLEAR(probe->leave);
  Py_CLEAR(probe->fault);
  Py_CLEAR(probe->clock_object);
  Py_CLEAR(probe->dict);
  return 0;
}

void deallocate(PyObject* self) {
  Probe* probe = self_of(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (probe->weak != nullptr) {
    PyObject_ClearWeakRefs(self);
  }
  clear(self);
  Py_CLEAR(probe->original);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Probe, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Probe, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Probe, weak), READONLY, nullptr},
    {"original", T_OBJECT, offsetof(Probe, original), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef properties[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bind_to)},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"stoker._core.Probe", sizeof(Probe), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

PyTypeObject* probe_type = nullptr;

PyObject* owned_or_null(nb::object& object) {
  return object.is_none() ? nullptr : object.release().ptr();
}

Probe* allocate(nb::object original) {
  Probe* probe = PyObject_GC_New(Probe, probe_type);
  if (probe == nullptr) {
    throw nb::python_error();
  }
  probe->call = call_probe;
  probe->original = original.release().ptr();
  probe->enter = probe->leave = probe->fault = probe->clock_object = nullptr;
  probe->clock = nullptr;
  probe->stage = Stage::Read;
  probe->dict = probe->weak = nullptr;
  return probe;
}

nb::object tracked(Probe* probe) {
  PyObject_GC_Track(probe);
  return nb::steal(reinterpret_cast<PyObject*>(probe));
}

}  // namespace

nb::object make_probe(nb::object original, nb::object enter, nb::object leave, nb::object fault) {
  Probe* probe = allocate(std::move(original));
  probe->enter = owned_or_null(enter);
  probe->leave = owned_or_null(leave);
  probe->fault = fault.release().ptr();
  return tracked(probe);
}

nb::object make_stage_timer(nb::object original, nb::object clock, int stage) {
  auto* native = nb::cast<StageClock*>(clock);
  if (stage < 0 || stage >= stoker::telemetry::kStageCount) {
    throw std::out_of_range("no such stage");
  }
  Probe* probe = allocate(std::move(original));
  probe->call = call_timer;
  probe->clock = native;
  probe->clock_object = clock.release().ptr();
  probe->stage = static_cast<Stage>(stage);
  return tracked(probe);
}

void register_probe(nb::module_& m) {
  probe_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (probe_type == nullptr) {
    throw nb::python_error();
  }
  m.attr("Probe") = nb::handle(reinterpret_cast<PyObject*>(probe_type));
}
