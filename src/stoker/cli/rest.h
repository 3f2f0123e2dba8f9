// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stoker/cli/command.h"

namespace stoker::cli {

struct SplitArgs {
  std::vector<std::string> own;   // stoker's options
  std::vector<std::string> rest;  // the user's command, untouched
};

// Splits what follows the name of a command that takes a user's command.
SplitArgs split_rest(const Command& command, const std::vector<std::string>& args);

// "keep_n" -> "--keep-n".
std::string option_flag(const Param& param);

}  // namespace stoker::cli
