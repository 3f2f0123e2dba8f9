// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <structmember.h>

#include <cstddef>
#include <utility>

#include "pending_error.h"
#include "watcher.h"

namespace nb = nanobind;
using stoker::telemetry::Stage;

namespace {

struct Probe {
  PyObject_HEAD vectorcallfunc call;
  PyObject* original;
  PyObject* enter;
  PyObject* leave;
  PyObject* fault;
  PyObject* module;  // a weak reference
  PyObject* watcher_object;
  Watcher* watcher;
  uint8_t kind;  // a Stage or an Event
  PyObject* dict;
  PyObject* weak;
};

Probe* self_of(PyObject* object) {
  return reinterpret_cast<Probe*>(object);
}

// Returns false if the error in flight is not ours to swallow.
bool switch_off(Probe* probe) {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0) {
    return false;
  }
  PendingError error;
  Py_CLEAR(probe->enter);
  Py_CLEAR(probe->leave);
  Py_XDECREF(PyObject_CallOneArg(probe->fault, error.normalised()));
  PyErr_Clear();
  return true;
}

bool run_enter(Probe* probe, PyObject* first) {
  if (probe->enter == nullptr) {
    return true;
  }
  const nb::object done = nb::steal(PyObject_CallOneArg(probe->enter, first));
  return done.is_valid() || switch_off(probe);
}

bool run_leave(Probe* probe, PyObject* first, PyObject* result, PyObject* error) {
  if (probe->leave == nullptr) {
    return true;
  }
  PyObject* args[] = {first, result == nullptr ? Py_None : result,
                      error == nullptr ? Py_None : error};
  const nb::object done = nb::steal(PyObject_Vectorcall(probe->leave, args, 3, nullptr));
  return done.is_valid() || switch_off(probe);
}

PyObject* call_original(const Probe* probe, PyObject* const* args, size_t flags,
                        PyObject* keywords) {
  if (probe->original == Py_None) {
    Py_RETURN_NONE;
  }
  return PyObject_Vectorcall(probe->original, args, flags, keywords);
}

PyObject* first_argument(const Probe* probe, PyObject* const* args, size_t flags) {
  if (probe->module != nullptr) {
    return PyWeakref_GetObject(probe->module);
  }
  return PyVectorcall_NARGS(flags) > 0 ? args[0] : Py_None;
}

// Calls the original between enter() and leave(), which are false for an error that goes on.
template <class Enter, class Leave>
PyObject* call_between(PyObject* self, PyObject* const* args, size_t flags, PyObject* keywords,
                       Enter enter, Leave leave) {
  Probe* probe = self_of(self);
  const nb::object held = nb::borrow(self);
  const nb::object first = nb::borrow(first_argument(probe, args, flags));
  if (!enter(probe, first.ptr())) {
    return nullptr;
  }
  PyObject* result = call_original(probe, args, flags, keywords);
  if (result != nullptr) {
    if (!leave(probe, first.ptr(), result, nullptr)) {
      Py_CLEAR(result);
    }
    return result;
  }
  PendingError error;
  if (leave(probe, first.ptr(), nullptr, error.type())) {
    error.restore();
  }
  return nullptr;
}

PyObject* call_probe(PyObject* self, PyObject* const* args, size_t flags, PyObject* keywords) {
  return call_between(self, args, flags, keywords, run_enter, run_leave);
}

PyObject* call_event(PyObject* self, PyObject* const* args, size_t flags, PyObject* keywords) {
  Watcher* watcher = self_of(self)->watcher;
  const auto event = static_cast<Event>(self_of(self)->kind);
  int64_t spent = 0;
  const auto enter = [&](Probe*, PyObject* first) {
    const int64_t before = monotonic_ns();
    const bool go_on = watcher->enter(event, first);
    spent = monotonic_ns() - before;
    return go_on;
  };
  const auto leave = [&](Probe*, PyObject* first, PyObject* result, PyObject* error) {
    const int64_t before = monotonic_ns();
    const bool go_on = watcher->leave(event, first, result, error);
    watcher->meter.add_probe(spent + monotonic_ns() - before);
    return go_on;
  };
  return call_between(self, args, flags, keywords, enter, leave);
}

PyObject* call_timer(PyObject* self, PyObject* const* args, size_t flags, PyObject* keywords) {
  const Probe* probe = self_of(self);
  StageClock& clock = probe->watcher->clock;
  const auto stage = static_cast<Stage>(probe->kind);
  const nb::object held = nb::borrow(self);
  if (stage == Stage::Collate && PyVectorcall_NARGS(flags) == 1 && PyList_Check(args[0])) {
    clock.set_collated(PyList_GET_SIZE(args[0]));
  }
  const int64_t begun = clock.begin();
  const int64_t before = monotonic_ns();
  PyObject* result = call_original(probe, args, flags, keywords);
  clock.end(stage, monotonic_ns() - before, begun);
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
  PyObject* name =
      probe->dict == nullptr ? nullptr : PyDict_GetItemString(probe->dict, "__qualname__");
  if (name != nullptr) {
    return Py_NewRef(name);
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
  Py_VISIT(probe->module);
  Py_VISIT(probe->watcher_object);
  Py_VISIT(probe->dict);
  return 0;
}

// Whoever still calls a probe that was cleared calls nothing.
int clear(PyObject* self) {
  Probe* probe = self_of(self);
  probe->call = call_probe;
  Py_XSETREF(probe->original, Py_NewRef(Py_None));
  Py_CLEAR(probe->enter);
  Py_CLEAR(probe->leave);
  Py_CLEAR(probe->fault);
  Py_CLEAR(probe->module);
  Py_CLEAR(probe->watcher_object);
  Py_CLEAR(probe->dict);
  return 0;
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (self_of(self)->weak != nullptr) {
    PyObject_ClearWeakRefs(self);
  }
  clear(self);
  Py_CLEAR(self_of(self)->original);
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

Probe* allocate(nb::object original, vectorcallfunc call) {
  Probe* probe = PyObject_GC_New(Probe, probe_type);
  if (probe == nullptr) {
    throw nb::python_error();
  }
  probe->call = call;
  probe->original = original.release().ptr();
  probe->enter = probe->leave = probe->fault = probe->module = probe->watcher_object = nullptr;
  probe->watcher = nullptr;
  probe->kind = 0;
  probe->dict = probe->weak = nullptr;
  return probe;
}

nb::object watched_by(Probe* probe, nb::object watcher, int kind) {
  probe->kind = static_cast<uint8_t>(kind);
  probe->watcher = nb::inst_ptr<Watcher>(watcher);
  probe->watcher_object = watcher.release().ptr();
  PyObject_GC_Track(probe);
  return nb::steal(reinterpret_cast<PyObject*>(probe));
}

void check(int number, int count) {
  if (number < 0 || number >= count) {
    throw nb::index_error("no such event or stage");
  }
}

}  // namespace

nb::object make_probe(nb::object original, nb::object enter, nb::object leave, nb::object fault) {
  Probe* probe = allocate(std::move(original), call_probe);
  probe->enter = owned_or_null(enter);
  probe->leave = owned_or_null(leave);
  probe->fault = fault.release().ptr();
  PyObject_GC_Track(probe);
  return nb::steal(reinterpret_cast<PyObject*>(probe));
}

nb::object make_event_probe(nb::object original, nb::object watcher, int event) {
  check(event, kEventCount);
  return watched_by(allocate(std::move(original), call_event), std::move(watcher), event);
}

nb::object make_forward_probe(const nb::object& module, nb::object compiled, nb::object watcher) {
  const nb::object reference = nb::steal(PyWeakref_NewRef(module.ptr(), nullptr));
  if (!reference.is_valid()) {
    throw nb::python_error();
  }
  Probe* probe = allocate(std::move(compiled), call_event);
  probe->module = Py_NewRef(reference.ptr());
  return watched_by(probe, std::move(watcher), static_cast<int>(Event::Forward));
}

nb::object make_stage_timer(nb::object original, nb::object watcher, int stage) {
  check(stage, stoker::telemetry::kStageCount);
  return watched_by(allocate(std::move(original), call_timer), std::move(watcher), stage);
}

void register_probe(nb::module_& m) {
  probe_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (probe_type == nullptr) {
    throw nb::python_error();
  }
  m.attr("Probe") = nb::handle(reinterpret_cast<PyObject*>(probe_type));
}
