// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stoker/core/params.h"

namespace stoker::cli {

// What a command was called with: every option and positional by its schema name (fallbacks filled
// in), and the user's own command for a command that takes one.
struct ParsedArgs {
  ParamMap values;
  std::vector<std::string> rest;
};

// A plug-in: one folder of cli/commands, which exports `Command command_<folder>()`. Results go to
// stdout, messages to stderr through message(). Throw stoker::Error for wrong set-up.
struct Command {
  std::string name;  // "run", or "data synth" for a verb of a group
  std::string help;  // one sentence
  std::vector<std::string> examples;
  ParamSchema options;           // --name
  ParamSchema positionals = {};  // in order; all but required ones may be left out
  // Not empty: the command takes a user's command, and this names it in the usage line. stoker's
  // options end at the first word that is no option, or at `--`; what follows is never looked at.
  std::string rest = {};
  // Exit status: 0 fine, 1 findings or failure, 2 wrong usage; `run` gives the script's own.
  int (*run)(const ParsedArgs&) = nullptr;
};

// The option that every command with a JSON form has.
Param json_option();

// "threads" of a command that works in parallel.
Param threads_option();

// One message for people: each line goes to stderr and begins with "stoker".
void message(const std::string& text);

}  // namespace stoker::cli
