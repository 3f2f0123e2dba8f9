// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>

#include "stoker/telemetry/recorder.h"

// Callables that stand in front of other callables and leave no trace: they are no Python frames,
// so tracebacks, warnings' stack levels and torch.compile see what they would see without them.

// Sums up what each stage took. A stage that runs inside another is taken out of the outer one, so
// that nothing counts twice. Only used with Python's lock held.
class StageClock {
 public:
  using Totals = std::array<int64_t, stoker::telemetry::kStageCount>;

  void add(stoker::telemetry::Stage stage, int64_t ns);
  Totals take();  // the sums since the last call
  int64_t calls() const { return calls_; }

  // A timed call: begin() gives what end() wants back.
  int64_t begin();
  void end(stoker::telemetry::Stage stage, int64_t elapsed_ns, int64_t outer_inner_ns);

 private:
  Totals totals_{};
  int64_t calls_ = 0;
};

int64_t monotonic_ns();

// What all probes' own work has taken in this process, in ns, and how many calls that were.
struct ProbeCost {
  int64_t ns = 0;
  int64_t calls = 0;
};
ProbeCost& probe_cost();

// Calls `original` with what it is called with. Before it `enter(first)`, after it
// `leave(first, result, error_type)`, where `first` is the first positional argument or None.
// Either may be None. If one of them raises, both are dropped for good and `fault(error)` is
// called; what is no Exception (KeyboardInterrupt) goes on to the caller.
nanobind::object make_probe(nanobind::object original, nanobind::object enter,
                            nanobind::object leave, nanobind::object fault);

// Calls `original` and adds the time to `stage` of `clock`.
nanobind::object make_stage_timer(nanobind::object original, nanobind::object clock, int stage);

void register_probe(nanobind::module_& m);
