// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

// Callables that stand in front of other callables and leave no trace: they are no Python frames,
// so tracebacks, the stack levels of warnings and torch.compile see what they would see without
// them. Their own work is counted by Watcher::meter.

// Calls `original` with what it is called with, before it `enter(first)` and after it
// `leave(first, result, error_type)`, where `first` is the first positional argument or None.
// `original`, `enter` and `leave` may be None. If one of them raises, both are dropped for good and
// `fault(error)` is called; what is no Exception (KeyboardInterrupt) goes on to the caller.
nanobind::object make_probe(nanobind::object original, nanobind::object enter,
                            nanobind::object leave, nanobind::object fault);

// Tells `watcher` when `original` is called, and when it is left.
nanobind::object make_event_probe(nanobind::object original, nanobind::object watcher, int event);

// Stands in the slot that `module.compile()` has filled with `compiled`, and tells `watcher` of
// each call. Keeps no module alive.
nanobind::object make_forward_probe(const nanobind::object& module, nanobind::object compiled,
                                    nanobind::object watcher);

// Adds the time in `original` to `stage` of the watcher's clock.
nanobind::object make_stage_timer(nanobind::object original, nanobind::object watcher, int stage);

void register_probe(nanobind::module_& m);
