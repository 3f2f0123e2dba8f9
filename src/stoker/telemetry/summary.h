// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stoker/telemetry/run_report.h"

namespace stoker::telemetry {

struct SummaryOptions {
  std::string folder = {};  // where the files are, "" when there are none
  std::vector<std::string> notes =
      {};  // what the parent has to say, such as another folder than usual
  bool color = false;
};

// What is printed when a run has ended: lines that each begin with "stoker" and end with a newline.
std::string summary_text(const RunReport& report, const SummaryOptions& options);

// "1,240".
std::string with_thousands(int64_t value);
// `share` of `cells` cells, in eighths of a cell.
std::string bar(double share, int cells);

}  // namespace stoker::telemetry
