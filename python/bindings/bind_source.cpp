// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings.h"
#include "from_python.h"
#include "stoker/io/list_source.h"
#include "stoker/io/open_source.h"
#include "stoker/io/tar_source.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using stoker::io::Source;
using SharedSource = std::shared_ptr<Source>;

std::vector<std::string> texts_of(const nb::list& list) {
  std::vector<std::string> texts;
  for (const nb::handle item : list) {
    texts.push_back(text_of(nb::cast<nb::bytes>(item)));
  }
  return texts;
}

SharedSource open_source(const nb::bytes& path, const nb::bytes& index) {
  const std::string name = text_of(path);
  const stoker::io::SourceOptions options{text_of(index)};
  const nb::gil_scoped_release release;
  return stoker::io::open_source(name, options);
}

SharedSource open_tars(const nb::list& paths, const nb::bytes& index) {
  const std::vector<std::string> names = texts_of(paths);
  const stoker::io::SourceOptions options{text_of(index)};
  const nb::gil_scoped_release release;
  return stoker::io::make_tar_source(names, options);
}

SharedSource list_source(const nb::list& paths, const std::vector<int64_t>& labels,
                         const nb::bytes& index) {
  return stoker::io::make_list_source(texts_of(paths), labels, {text_of(index)});
}

std::vector<nb::bytes> classes(const Source& source) {
  std::vector<nb::bytes> names;
  for (const std::string& name : source.classes()) {
    names.push_back(bytes_of(name));
  }
  return names;
}

// They name files, whose names need not be UTF-8.
nb::list warnings(const Source& source) {
  nb::list texts;
  for (const std::string& text : source.warnings()) {
    texts.append(nb::steal<nb::str>(
        PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))));
  }
  return texts;
}

}  // namespace

void register_source(nb::module_& m) {
  nb::class_<Source>(m, "Source", "Samples that lie somewhere; see io/source.h.")
      .def("count", &Source::count)
      .def("label", &Source::label, "sample"_a)
      .def(
          "name", [](const Source& s, int64_t i) { return bytes_of(s.name(i)); }, "sample"_a)
      .def("classes", &classes)
      .def("warnings", &warnings)
      .def("fingerprint", &Source::fingerprint);
  m.def("open_source", &open_source, "path"_a, "index"_a);
  m.def("open_tars", &open_tars, "paths"_a, "index"_a);
  m.def("list_source", &list_source, "paths"_a, "labels"_a, "index"_a);
}
