// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stoker/core/stats.h"
#include "stoker/telemetry/recorder.h"
#include "stoker/telemetry/run_data.h"

namespace stoker::telemetry {

struct Evidence {
  std::string what;
  double value = 0;
  std::string unit;  // "share", "ms", "steps", ...
};

struct Fix {
  std::string id;
  std::string change_class;
  Estimate predicted_gain;  // a factor: 1.25 = 25 % faster
};

struct Verdict {
  std::string kind = "unclear";  // "input", "compute" or "unclear"
  std::string sentence = {};
  std::vector<Evidence> evidence = {};
  std::vector<Fix> fixes = {};
};

// Waiting and length of some steps that followed each other.
struct StepBlock {
  int64_t wait_ns = 0;
  int64_t length_ns = 0;
};

// What the verdict is drawn from. Shares are of the time of all steps after warm-up.
struct VerdictInput {
  bool attached = true;
  std::string not_attached_reason;
  int64_t steps = 0;   // warm-up included
  int64_t warmup = 0;  // of them
  int64_t saw = 0;     // bits of layout::Saw
  std::array<double, kPhaseCount> share{};
  std::optional<double> exposed_stall_share;  // of the GPU's step, where there is one
  // Forward, backward, optimizer on the GPU, as shares of its step. There the host's own times say
  // only how long launching took, and waiting for the GPU falls anywhere.
  std::optional<std::array<double, 3>> device_share;
  std::array<int64_t, kStageCount> stage_ns{};
  bool has_workers = false;
  double step_mean_ns = 0;
  int32_t usable_cpus = 1;
  int64_t images_left_to_pillow = 0;
  bool native_decoding = false;  // applied
  std::vector<StepBlock> blocks;
};

Verdict judge(const VerdictInput& input);

// What a step would gain if `hidden` (0 to 1) of its waiting were gone: the estimate over all
// blocks, low and high from the 10th and 90th percentile of the blocks.
Estimate gain_when_hidden(const std::vector<StepBlock>& blocks, double hidden);

// Names for people: "reading files", "decoding images", "transforms", "collating batches".
const char* stage_title(Stage stage);

}  // namespace stoker::telemetry
