// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/cli/command.h"
#include "stoker/cli/commands/run/run_session.h"

namespace stoker::cli {

Param allow_option();
Param without_option();
Param dry_run_option();
// --config, --out, --keep, --quiet: what every command has that starts a script.
ParamSchema run_options();

// Options of the command line, and below them those of [run] in the config file. Throws Error.
RunOptions parse_run_options(const ParsedArgs& args);

}  // namespace stoker::cli
