// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/telemetry/layout.h"
#include "stoker/telemetry/recorder.h"
#include "stoker/telemetry/step_tracker.h"

namespace stoker::telemetry {

// One kind of time over many steps, merged from any number of processes.
class Spread {
 public:
  Spread() : buckets_(kBucketCount) {}
  static Spread of(const layout::Series& series);

  void merge(const Spread& other);
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] int64_t sum_ns() const { return sum_ns_; }
  [[nodiscard]] double mean_ms() const;  // 0 without steps
  // The value in ms below which a share `q` of the steps lies, right within 1 %; 0 without steps.
  [[nodiscard]] double percentile_ms(double q) const;

 private:
  int64_t count_ = 0;
  int64_t sum_ns_ = 0;
  std::vector<int64_t> buckets_;
};

// What whoever makes the batches did; summed over processes.
struct LoaderWork {
  int64_t processes = 0;
  int64_t batches = 0;
  int64_t samples = 0;
  std::array<int64_t, kStageCount> stage_ns{};
  std::array<int64_t, kCounterCount> counters{};

  void merge(const LoaderWork& other);
  [[nodiscard]] int64_t total_ns() const;
};

struct StepData {
  int64_t steps = 0;    // warm-up included
  int64_t samples = 0;  // of the steps after warm-up
  int64_t first_step_ns = 0;
  int64_t last_end_ns = 0;
  int64_t saw = 0;            // bits of layout::Saw
  double overhead_us = -1.0;  // below zero: not measured
  Spread step;                // after warm-up, as are the phases
  std::array<Spread, kPhaseCount> phases;
  std::array<Spread, layout::kDeviceSeries> device;
  int64_t pause_count = 0;
  int64_t pause_ns = 0;
  int64_t pause_worker_start_ns = 0;
  int64_t pause_lever_work_ns = 0;
  std::vector<PauseRecord> pauses;  // the last ones, oldest first
  std::vector<StepRecord> recent;   // the last ones, oldest first
};

// One process file.
struct ProcessData {
  ProcessInfo info;
  int64_t created_wall_ns = 0;
  int64_t created_monotonic_ns = 0;
  LoaderWork work;
  StepData steps;  // of Role::Main
};

// Something of stoker that went wrong; the same one is counted.
struct Fault {
  std::string where;
  std::string error;
  int64_t count = 1;
};

struct Lever {
  std::string id;
  std::string change_class;  // exact, rounding, random, precision or recipe
  bool applied = false;
  bool planned = false;  // in a dry run: it would be tried
  std::string reason = {};
  std::string detail = {};
  std::vector<int32_t> ranks = {};  // that it is on, where ranks do not agree
};

// All that the processes of a run have left in its folder.
struct RunData {
  std::vector<ProcessData> mains;  // by rank; of one rank, the one with most steps first
  LoaderWork workers;
  std::vector<Fault> faults;
  std::vector<Lever> levers;

  void add_fault(const std::string& where, const std::string& error);
};

}  // namespace stoker::telemetry
