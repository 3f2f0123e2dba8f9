// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stoker/core/status.h"
#include "stoker/telemetry/run_data.h"

namespace stoker::telemetry {

// Reads what a Recorder has written so far; its process may still be writing. Corrupt when the file
// is none of ours, of another version, or was cut.
Result<ProcessData> read_process_file(const std::string& path);

}  // namespace stoker::telemetry
