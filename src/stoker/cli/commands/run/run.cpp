// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string_view>

#include "stoker/cli/commands/run/run_options.h"
#include "stoker/core/error.h"

namespace stoker::cli {
namespace {

// A dry run that starts another one, in a shell script say, makes that dry too.
bool inside_dry_run() {
  const char* value = std::getenv("STOKER_DRY_RUN");
  return value != nullptr && std::string_view(value) == "1";
}

int run(const ParsedArgs& args) {
  RunOptions options = parse_run_options(args);
  options.dry_run = options.dry_run || inside_dry_run();
  if (options.dry_run && options.allow.empty()) {
    throw Error(ErrorCode::InvalidArgument, "--dry-run has nothing to say where nothing is allowed",
                "leave out --allow none");
  }
  return run_session(args.rest, options);
}

}  // namespace

Command command_run() {
  ParamSchema options = {allow_option(), without_option(), dry_run_option()};
  for (const Param& param : run_options()) {
    options.push_back(param);
  }
  return {.name = "run",
          .help = "Run a training script faster without changing it, and say what holds it back.",
          .examples = {"stoker run train.py --epochs 3", "stoker run --allow none train.py",
                       "stoker run --allow rounding --without compile train.py",
                       "stoker run --allow rounding --dry-run train.py",
                       "stoker run -- torchrun --nproc-per-node 2 train.py"},
          .options = options,
          .rest = "CMD...",
          .run = run};
}

}  // namespace stoker::cli
