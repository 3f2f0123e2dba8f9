// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/run_options.h"

#include "stoker/cli/commands/run/allow.h"
#include "stoker/cli/commands/run/without.h"
#include "stoker/core/config.h"
#include "stoker/core/process_paths.h"

namespace stoker::cli {
namespace {

Param keep_option() {
  return {.name = "keep",
          .kind = ParamKind::Int,
          .help = "keep the newest N run folders, delete older ones (20)",
          .value_name = "N",
          .min = 1};
}

Param quiet_option() {
  return {.name = "quiet", .kind = ParamKind::Flag, .help = "print nothing when the script ends"};
}

void apply(const ParamMap& values, RunOptions& options) {
  if (values.has("allow")) {
    options.allow = allowed_classes(values.list("allow"));
  }
  if (values.has("without")) {
    options.without = levers_left_out(values.list("without"), ProcessPaths::of_this_process());
  }
  if (values.has("keep")) {
    options.keep = values.integer("keep");
  }
  options.dry_run = options.dry_run || values.flag("dry_run");
  options.quiet = options.quiet || values.flag("quiet");
}

}  // namespace

Param allow_option() {
  return {.name = "allow",
          .kind = ParamKind::List,
          .help = "classes of change: none, exact, rounding, random, precision, recipe (exact)",
          .value_name = "CLASSES"};
}

Param without_option() {
  return {.name = "without",
          .kind = ParamKind::List,
          .help = "levers that are left out, see `stoker list levers`",
          .value_name = "IDS"};
}

Param dry_run_option() {
  return {.name = "dry_run",
          .kind = ParamKind::Flag,
          .help =
              "apply nothing: end the script after its first three steps, before it can save "
              "anything on its way out, and say which levers would be tried"};
}

ParamSchema run_options() {
  return {{.name = "config", .help = "TOML file with a section [run]", .value_name = "FILE"},
          {.name = "out", .help = "folder for the files of this run", .value_name = "DIR"},
          keep_option(),
          quiet_option()};
}

RunOptions parse_run_options(const ParsedArgs& args) {
  RunOptions options;
  options.config = args.values.text_or_empty("config");
  options.out = args.values.text_or_empty("out");
  if (!options.config.empty()) {
    const ParamSchema schema = {allow_option(), without_option(), keep_option(), quiet_option()};
    apply(Config::read(options.config).section("run", schema), options);
  }
  apply(args.values, options);
  return options;
}

}  // namespace stoker::cli
