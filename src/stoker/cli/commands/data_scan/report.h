// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stoker/core/json.h"
#include "stoker/io/source.h"
#include "stoker/scan/loader_speed.h"
#include "stoker/scan/scan.h"

namespace stoker::cli {

// What was found, for whoever words it.
struct ScanFindings {
  std::string path;
  const io::Source& source;
  const scan::ScanResult& result;
  int threads = 1;
  std::string judge;            // "Pillow 12.0.0"; empty: none was needed or found
  std::string no_judge_reason;  // why files are unjudged
  const scan::SpeedBlock* speed = nullptr;
  std::string speed_transforms;
};

// stoker.data.scan/1. Every number that is printed for people comes from it.
Json scan_json(const ScanFindings& findings);

// What is wrong, the worst first, each with what to do: [{kind, found, fix}].
Json scan_problems(const Json& scan);

// About twenty lines.
std::string scan_text(const Json& scan);

}  // namespace stoker::cli
