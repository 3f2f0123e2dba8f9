// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

// One function a file: the whole surface of stoker._core is the list in module.cpp.
void register_batch_memory(nanobind::module_& m);
// stoker::Error as ValueError, FileNotFoundError or OSError, with its hint.
void register_errors(nanobind::module_& m);
void register_image(nanobind::module_& m);
void register_levers(nanobind::module_& m);
void register_loader(nanobind::module_& m);
void register_source(nanobind::module_& m);
void register_telemetry(nanobind::module_& m);
void register_transforms(nanobind::module_& m);
