// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stoker/core/system_view.h"
#include "stoker/telemetry/run_data.h"
#include "stoker/telemetry/verdict.h"

namespace stoker::telemetry {

// What the parent of a run knows itself.
struct RunContext {
  std::vector<std::string> command = {};
  int exit_status = 0;  // as a shell gives it: 128 + number for a signal
  int signal = 0;       // that ended the command, or 0
  int64_t started_wall_ns = 0;
  int64_t ended_wall_ns = 0;
  MachineFacts machine = {};
  std::vector<std::string> allow = {};
  bool dry_run = false;
  std::string not_attached_reason = {};  // the likely one, should no process have been seen
};

struct RankRow {
  int32_t rank = 0;
  int32_t pid = 0;
  int64_t steps = 0;
  double step_median_ms = 0;
  double data_wait_share = 0;
};

struct PhaseRow {
  std::string name;
  std::string clock;                     // "host" or "device"
  std::optional<double> median_ms = {};  // none: not measured
  std::optional<double> mean_ms = {};    // what the share is made of
  std::optional<double> share = {};
};

struct StageRow {
  std::string name;
  double share = 0;
  double ms = 0;  // a batch, in the process that makes it
};

// run.json as a value: everything that is printed about a run comes from here.
struct RunReport {
  RunContext context;
  bool attached = false;
  std::vector<RankRow> ranks;
  std::vector<Lever> levers;
  int64_t steps = 0;
  int64_t warmup = 0;
  double step_mean_ns = 0;       // on the host's clock
  bool steps_on_device = false;  // whose clock the next four are from
  double step_median_ms = 0;
  double step_p10_ms = 0;
  double step_p90_ms = 0;
  double step_p99_ms = 0;
  double samples_per_s = 0;
  std::vector<PhaseRow> phases;
  std::optional<double> exposed_stall_share;
  std::optional<double> overhead_us_per_step;
  LoaderWork loader;  // of all processes
  int64_t worker_processes = 0;
  std::vector<StageRow> stages;
  int64_t pause_count = 0;
  double pause_ms = 0;
  double pause_worker_start_ms = 0;
  double pause_lever_work_ms = 0;
  std::vector<PauseRecord> pauses;
  Verdict verdict;
  std::vector<Fault> errors;

  [[nodiscard]] double duration_ms() const;
  [[nodiscard]] int64_t counter(Counter counter) const;
};

// Of several processes with the same rank (two scripts in one command), the one with most steps
// speaks; ranks are put together.
RunReport make_report(const RunData& run, const RunContext& context);

}  // namespace stoker::telemetry
