// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::cli {

struct RunOptions {
  std::vector<std::string> allow = {"exact"};
  std::vector<std::string> without = {};  // ids of levers
  std::string config;                     // path, or ""
  std::string out;                        // folder, or ""
  bool dry_run = false;
  int64_t keep = 20;  // run folders
  bool quiet = false;
};

// Runs a command under watch, reports, and gives its exit status; ends by the signal that ended the
// command. Whatever goes wrong in stoker is reported and changes nothing about the command.
int run_session(const std::vector<std::string>& command, const RunOptions& options);

}  // namespace stoker::cli
