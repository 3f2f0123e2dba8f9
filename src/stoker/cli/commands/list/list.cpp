// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/command.h"

namespace stoker::cli {
namespace {

int run(const ParsedArgs& args) {
  (void)args;
  return 0;
}

}  // namespace

Command command_list() {
  return {.name = "list",
          .help = "Show what is built in.",
          .examples = {"stoker list decoders", "stoker list levers --json"},
          .options = {json_option()},
          .positionals = {{.name = "kind",
                           .help = "what to list",
                           .value_name = "KIND",
                           .choices = {"checks", "levers", "decoders", "transforms", "sources"},
                           .required = true}},
          .run = run};
}

}  // namespace stoker::cli
