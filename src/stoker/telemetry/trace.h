// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "stoker/telemetry/run_data.h"

namespace stoker::telemetry {

// The newest steps of all ranks as Chrome trace events, one JSON text that Perfetto opens. A rank
// is a process; its steps, phases and pauses are rows of it. Phases of a step are drawn one after
// the other in the order of enum Phase: their lengths are true, their places inside the step are
// not.
std::string trace_json(const RunData& run);

}  // namespace stoker::telemetry
