// SPDX-License-Identifier: Apache-2.0
#include "samples.h"

#include <algorithm>
#include <array>
#include <span>

namespace nb = nanobind;

namespace {

// The first dimension of a tensor or an array; -1 for what is none.
int64_t rows_of(nb::handle batch) {
  static PyObject* const kShape = PyUnicode_InternFromString("shape");
  const nb::object shape = nb::steal(PyObject_GetAttr(batch.ptr(), kShape));
  PyErr_Clear();
  if (!shape.is_valid() || !PyTuple_Check(shape.ptr())) {
    return -1;
  }
  if (PyTuple_GET_SIZE(shape.ptr()) == 0) {
    return 1;
  }
  const int64_t rows = PyLong_AsLongLong(PyTuple_GET_ITEM(shape.ptr(), 0));
  PyErr_Clear();
  return std::max<int64_t>(rows, 0);
}

// The first element of a sequence or the first value of a mapping; null for what is none or empty.
nb::object first_of(nb::handle batch) {
  if (PyTuple_Check(batch.ptr()) || PyList_Check(batch.ptr())) {
    return PySequence_Size(batch.ptr()) > 0 ? nb::steal(PySequence_GetItem(batch.ptr(), 0))
                                            : nb::object();
  }
  if (PyMapping_Check(batch.ptr()) == 0 || PyObject_HasAttrString(batch.ptr(), "values") == 0) {
    return {};
  }
  const nb::object values = nb::steal(PyObject_CallMethod(batch.ptr(), "values", nullptr));
  const nb::object iterator =
      values.is_valid() ? nb::steal(PyObject_GetIter(values.ptr())) : nb::object();
  return iterator.is_valid() ? nb::steal(PyIter_Next(iterator.ptr())) : nb::object();
}

}  // namespace

int64_t samples_of(nb::handle batch, int64_t expected) {
  constexpr int kDeepest = 4;
  std::array<int64_t, kDeepest> lengths{};
  size_t count = 0;
  nb::object part = nb::borrow(batch);
  for (int depth = 0; depth < kDeepest && part.is_valid(); ++depth) {
    const int64_t rows = rows_of(part);
    if (rows >= 0) {
      lengths[count++] = rows;
      break;
    }
    if (PyTuple_Check(part.ptr()) || PyList_Check(part.ptr())) {
      lengths[count++] = PySequence_Size(part.ptr());
    }
    part = first_of(part);
  }
  PyErr_Clear();
  const std::span known(lengths.data(), count);
  if (count == 0 || std::ranges::find(known, expected) != known.end()) {
    return count == 0 ? 0 : expected;
  }
  // A list of images of different sizes is counted, not looked into; a tensor's rows are.
  return count > 2 ? lengths[1] : lengths[count - 1];
}
