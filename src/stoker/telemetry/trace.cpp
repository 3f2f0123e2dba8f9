// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/trace.h"

#include <fmt/format.h>

#include <iterator>

namespace stoker::telemetry {
namespace {

enum Row : int { kSteps = 1, kPhases = 2, kPauses = 3 };

double us(int64_t ns) {
  return static_cast<double>(ns) / 1e3;
}

// Names are stoker's own, so nothing needs escaping.
class Events {
 public:
  void name(const char* what, int pid, int row, const std::string& text) {
    next();
    fmt::format_to(std::back_inserter(out_),
                   R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":"{}"}}}})", what,
                   pid, row, text);
  }
  void span(const char* name, int pid, int row, int64_t start_ns, int64_t length_ns) {
    next();
    fmt::format_to(std::back_inserter(out_),
                   R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})", name,
                   pid, row, us(start_ns), us(length_ns));
  }
  std::string finish() { return R"({"displayTimeUnit":"ms","traceEvents":[)" + out_ + "\n]}\n"; }

 private:
  void next() { out_ += out_.empty() ? "\n" : ",\n"; }
  std::string out_;
};

void add_process(Events& events, const ProcessData& process) {
  const int pid = process.info.pid;
  events.name("process_name", pid, kSteps, fmt::format("rank {}", process.info.rank));
  events.name("thread_name", pid, kSteps, "steps");
  events.name("thread_name", pid, kPhases, "phases");
  events.name("thread_name", pid, kPauses, "pauses");
  for (const StepRecord& step : process.steps.recent) {
    events.span("step", pid, kSteps, step.start_ns, step.length_ns());
    int64_t at = step.start_ns;
    for (size_t i = 0; i < step.phase_ns.size(); ++i) {
      if (step.phase_ns[i] > 0) {
        events.span(phase_name(static_cast<Phase>(i)), pid, kPhases, at, step.phase_ns[i]);
      }
      at += step.phase_ns[i];
    }
  }
  for (const PauseRecord& pause : process.steps.pauses) {
    events.span(pause.kind(), pid, kPauses, pause.start_ns, pause.length_ns);
  }
}

}  // namespace

std::string trace_json(const RunData& run) {
  Events events;
  for (const ProcessData& process : run.mains) {
    add_process(events, process);
  }
  return events.finish();
}

}  // namespace stoker::telemetry
