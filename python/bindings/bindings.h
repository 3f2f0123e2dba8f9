// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

// One function a file: the whole surface of stoker._core is the list in module.cpp.
void register_image(nanobind::module_& m);
void register_levers(nanobind::module_& m);
void register_telemetry(nanobind::module_& m);
