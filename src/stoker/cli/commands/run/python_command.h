// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stoker/core/process_paths.h"
#include "stoker/core/status.h"

namespace stoker::cli {

// The command to start: a script NAME.py gets an interpreter in front, everything else stays as it
// is. NotFound when there is no interpreter.
Result<std::vector<std::string>> with_interpreter(const std::vector<std::string>& command,
                                                  const ProcessPaths& paths);

// Why stoker cannot get into this command, as half a sentence, or "" where nothing is known to keep
// it out.
std::string out_of_reach(const std::vector<std::string>& command);

// Why a command may have ended without a trace of stoker's hooks, as half a sentence.
std::string likely_reason(const std::vector<std::string>& command);

}  // namespace stoker::cli
