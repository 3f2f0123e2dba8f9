// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stoker/telemetry/run_data.h"

namespace stoker::telemetry {

// Reads DIR/processes/*.stk, DIR/faults.jsonl and DIR/levers.jsonl. Never fails: what cannot be
// read becomes a fault of the result.
RunData read_run(const std::string& dir);

// One line a fault; lines that were cut off or are none of ours are left out.
void read_fault_lines(const std::string& text, RunData& run);

}  // namespace stoker::telemetry
