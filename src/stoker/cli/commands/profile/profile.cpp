// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/run_options.h"

namespace stoker::cli {
namespace {

int profile(const ParsedArgs& args) {
  RunOptions options = parse_run_options(args);
  options.allow.clear();
  options.without.clear();
  return run_session(args.rest, options);
}

}  // namespace

Command command_profile() {
  return {.name = "profile",
          .help = "Measure a training script and change nothing about it.",
          .examples = {"stoker profile train.py", "stoker profile --out first -- bash train.sh"},
          .options = run_options(),
          .rest = "CMD...",
          .run = profile};
}

}  // namespace stoker::cli
