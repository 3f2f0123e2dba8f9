// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

// For the class attribute `_compiled_call_impl` of a module's class. torch reads it from the module
// at the begin of each call; for `module` that is told to `watcher`, and all get what they would
// without it: None. Keeps no module alive.
nanobind::object make_model_call(nanobind::object module, nanobind::object watcher);

void register_model_call(nanobind::module_& m);
