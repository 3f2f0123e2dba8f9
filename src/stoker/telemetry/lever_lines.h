// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stoker/telemetry/run_data.h"

namespace stoker::telemetry {

// Adds what levers.jsonl says, one line an outcome, as one Lever for each id. Requires: run.mains
// is there. The last word of a process about a lever counts. Ranks that do not agree about it are
// told apart; of several processes of one rank, and of those that train nothing, one that applied
// it speaks.
void read_lever_lines(const std::string& text, RunData& run);

// "rank 1", "ranks 0, 2", "ranks 0-3, 6". In the order of their numbers.
std::string ranks_text(const std::vector<int32_t>& ranks);

}  // namespace stoker::telemetry
