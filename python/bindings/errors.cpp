// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bindings.h"
#include "stoker/core/error.h"

namespace nb = nanobind;

namespace {

PyObject* python_type(stoker::ErrorCode code) {
  switch (code) {
    case stoker::ErrorCode::NotFound:
      return PyExc_FileNotFoundError;
    case stoker::ErrorCode::IoError:
      return PyExc_OSError;
    case stoker::ErrorCode::Internal:
      return PyExc_RuntimeError;
    default:
      return PyExc_ValueError;
  }
}

void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const stoker::Error& error) {
    const std::string text =
        error.hint().empty() ? error.what() : fmt::format("{}; {}", error.what(), error.hint());
    PyErr_SetString(python_type(error.code()), text.c_str());
  }
}

}  // namespace

void register_errors(nb::module_& /*m*/) {
  nb::register_exception_translator(translate);
}
