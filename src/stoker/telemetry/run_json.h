// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/core/json.h"
#include "stoker/telemetry/run_report.h"

namespace stoker::telemetry {

// run.json: schema "stoker.run/1", described by docs/schemas/run.schema.json.
Json run_json(const RunReport& report);

// "2026-11-30T14:02:33.123Z".
std::string utc_text(int64_t wall_ns);

}  // namespace stoker::telemetry
