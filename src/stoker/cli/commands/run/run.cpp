// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/run_options.h"

namespace stoker::cli {
namespace {

int run(const ParsedArgs& args) {
  return run_session(args.rest, parse_run_options(args));
}

}  // namespace

Command command_run() {
  ParamSchema options = {allow_option(), without_option()};
  for (const Param& param : run_options()) {
    options.push_back(param);
  }
  return {.name = "run",
          .help = "Run a training script faster without changing it, and say what holds it back.",
          .examples = {"stoker run train.py --epochs 3", "stoker run --allow none train.py",
                       "stoker run --allow rounding --without compile train.py",
                       "stoker run -- torchrun --nproc-per-node 2 train.py"},
          .options = options,
          .rest = "CMD...",
          .run = run};
}

}  // namespace stoker::cli
