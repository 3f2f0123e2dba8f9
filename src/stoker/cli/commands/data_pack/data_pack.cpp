// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "stoker/cli/command.h"
#include "stoker/cli/commands/data_pack/report.h"
#include "stoker/cli/commands/data_pack/sizes.h"
#include "stoker/cli/interrupt.h"
#include "stoker/cli/progress_line.h"
#include "stoker/core/error.h"
#include "stoker/core/system_view.h"
#include "stoker/pack/pack_set.h"

namespace stoker::cli {
namespace {

template <class T>
T value_of(const char* option, const Result<T>& result) {
  if (!result.ok()) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{}: {}", option, result.status().message()),
                "see `stoker data pack --help`");
  }
  return *result;
}

pack::PackOptions options_of(const ParamMap& values) {
  pack::PackOptions options{.source = values.text("src"), .folder = values.text("dst")};
  if (values.has("shard_size") && values.has("images")) {
    throw Error(ErrorCode::InvalidArgument, "--shard-size and --images both say how large",
                "give one of them");
  }
  if (values.has("shard_size")) {
    options.shard_bytes = value_of("shard_size", parse_bytes(values.text("shard_size")));
  }
  options.images_per_shard = values.has("images") ? values.integer("images") : 0;
  if (values.has("shard")) {
    const Part part = value_of("shard", parse_part(values.text("shard")));
    options.part = part.number - 1;
    options.parts = part.count;
  }
  options.convert = !values.flag("no_convert");
  options.check = values.flag("check");
  options.force = values.flag("force");
  options.threads = values.has("threads") ? static_cast<int>(values.integer("threads"))
                                          : SystemView().machine().usable_cpus();
  return options;
}

// One progress line after the other.
pack::PackReport pack_with_progress(const pack::PackOptions& options) {
  std::optional<ProgressLine> packed, checked;
  const auto show = [](std::optional<ProgressLine>& line, const char* unit) {
    return [&line, unit](int64_t done, int64_t total) {
      if (!line) {
        line.emplace(unit);
      }
      line->show(done, total);
    };
  };
  return pack::pack_set(options,
                        {.pack = show(packed, "images"), .check = show(checked, "images checked")});
}

int run(const ParsedArgs& args) {
  const Interrupt interrupt;
  pack::PackOptions options = options_of(args.values);
  options.stop = interrupt.flag();
  pack::PackReport report;
  try {
    report = pack_with_progress(options);
  } catch (const pack::Interrupted&) {
    message("interrupted; the same command goes on behind the shards that are finished");
    Interrupt::die();
  }
  for (const std::string& warning : report.warnings) {
    message(warning);
  }
  if (args.values.flag("json")) {
    fmt::print("{}\n", pack_json(options, report).dump());
  } else {
    print_pack(options, report);
  }
  return report.check && report.check->different > 0 ? 1 : 0;
}

}  // namespace

Command command_data_pack() {
  return {
      .name = "data pack",
      .help =
          "Put a data set into tar shards with an index inside; progressive JPEGs become "
          "baseline without loss.",
      .examples = {"stoker data pack photos packed",
                   "stoker data pack photos packed --check --images 10000",
                   "stoker data pack photos packed --shard 3/8  # on one of eight machines"},
      .options = {{.name = "shard_size",
                   .kind = ParamKind::Text,
                   .help =
                       "about how large a shard is, such as 500MB; 256MB where neither this nor "
                       "--images is given",
                   .value_name = "BYTES"},
                  {.name = "images",
                   .kind = ParamKind::Int,
                   .help = "images in a shard",
                   .value_name = "N",
                   .min = 1,
                   .max = 1e9},
                  {.name = "shard",
                   .kind = ParamKind::Text,
                   .help = "make only the I-th of N parts of the shards, for several machines",
                   .value_name = "I/N"},
                  {.name = "no_convert",
                   .kind = ParamKind::Flag,
                   .help = "leave progressive, arithmetic and multi-scan JPEGs as they are"},
                  {.name = "check",
                   .kind = ParamKind::Flag,
                   .help = "compare every packed image with its original, pixel by pixel"},
                  {.name = "force",
                   .kind = ParamKind::Flag,
                   .help = "make shards anew that are there, and replace a set of other options"},
                  threads_option(),
                  json_option()},
      .positionals = {{.name = "src",
                       .help = "folder with one sub-folder a class, tar file, or folder of "
                               "tar files",
                       .value_name = "SRC",
                       .required = true},
                      {.name = "dst",
                       .help = "folder to make, or to go on with",
                       .value_name = "DST",
                       .required = true}},
      .run = run};
}

}  // namespace stoker::cli
