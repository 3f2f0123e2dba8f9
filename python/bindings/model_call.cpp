// SPDX-License-Identifier: Apache-2.0
#include "model_call.h"

#include "watcher.h"

namespace nb = nanobind;

namespace {

struct ModelCall {
  PyObject_HEAD PyObject* module;  // a weak reference
  PyObject* watcher_object;
  Watcher* watcher;
};

ModelCall* self_of(PyObject* object) {
  return reinterpret_cast<ModelCall*>(object);
}

PyObject* read(PyObject* self, PyObject* instance, PyObject* /*type*/) {
  const ModelCall* call = self_of(self);
  if (instance != nullptr && PyWeakref_GetObject(call->module) == instance) {
    Watcher* watcher = call->watcher;
    const int64_t before = monotonic_ns();
    const bool go_on = watcher->enter(Event::Forward, instance);
    watcher->meter.add_probe(monotonic_ns() - before);
    if (!go_on) {
      return nullptr;
    }
  }
  Py_RETURN_NONE;
}

// Where a class is pickled with its attributes, this one becomes None.
PyObject* reduce(PyObject* /*self*/, PyObject* /*unused*/) {
  return Py_BuildValue("(O())", reinterpret_cast<PyObject*>(Py_TYPE(Py_None)));
}

void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(self_of(self)->module);
  Py_XDECREF(self_of(self)->watcher_object);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(deallocate)},
    {Py_tp_descr_get, reinterpret_cast<void*>(read)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"stoker._core.ModelCall", sizeof(ModelCall), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyTypeObject* model_call_type = nullptr;

}  // namespace

nb::object make_model_call(nb::object module, nb::object watcher) {
  nb::object reference = nb::steal(PyWeakref_NewRef(module.ptr(), nullptr));
  ModelCall* call = reference.is_valid() ? PyObject_New(ModelCall, model_call_type) : nullptr;
  if (call == nullptr) {
    throw nb::python_error();
  }
  call->module = reference.release().ptr();
  call->watcher = nb::inst_ptr<Watcher>(watcher);
  call->watcher_object = watcher.release().ptr();
  return nb::steal(reinterpret_cast<PyObject*>(call));
}

void register_model_call(nb::module_& m) {
  model_call_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (model_call_type == nullptr) {
    throw nb::python_error();
  }
  m.attr("ModelCall") = nb::handle(reinterpret_cast<PyObject*>(model_call_type));
}
