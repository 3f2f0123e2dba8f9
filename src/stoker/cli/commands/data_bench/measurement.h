// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stoker/cli/commands/data_bench/baseline.h"
#include "stoker/core/stats.h"
#include "stoker/scan/loader_speed.h"

namespace stoker::cli {

struct Measurement {
  std::vector<double> native_rates;  // samples per second, one a block
  std::vector<double> baseline_rates;
  std::vector<AbbaRound> rounds;
  int64_t samples = 0, skipped = 0, indexed = 0;
  std::array<int64_t, scan::kStages.size()> stage_ns{};
  std::string no_baseline_reason;
};

// Blocks of the loader and of the baseline in turn (A-B-B-A), of the loader alone where `baseline`
// is null or ends; about `seconds` in all. Throws Error where the loader makes no sample.
Measurement measure(scan::LoaderSpeed& native, Baseline* baseline, double seconds);

}  // namespace stoker::cli
