// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "stoker/core/version.h"

NB_MODULE(_core, m) {
  m.doc() = "The C++ engine of stoker.";
  m.attr("__version__") = stoker::kVersion;
  register_errors(m);
  register_batch_memory(m);
  register_image(m);
  register_levers(m);
  register_source(m);
  register_loader(m);
  register_telemetry(m);
  register_transforms(m);
}
