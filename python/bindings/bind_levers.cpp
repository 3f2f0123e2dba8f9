// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.h"
#include "stoker/core/error.h"
#include "stoker/core/lever.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

nb::list levers_of(const std::string& package) {
  nb::list out;
  for (const stoker::LeverFacts& lever : stoker::read_levers(package)) {
    nb::dict facts;
    facts["id"] = lever.id;
    facts["class"] = lever.change_class;
    facts["title"] = lever.title;
    facts["help"] = lever.help;
    facts["when_not"] = lever.when_not;
    facts["source"] = lever.source;
    out.append(facts);
  }
  return out;
}

}  // namespace

void register_levers(nb::module_& m) {
  m.def("read_levers", &levers_of, "package"_a,
        "What each lever.toml below the package says; RuntimeError for one that cannot be read.");
}
