// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "stoker/cli/command.h"
#include "stoker/cli/interrupt.h"
#include "stoker/cli/progress_line.h"
#include "stoker/core/json.h"
#include "stoker/core/system_view.h"
#include "stoker/pack/make_index.h"

namespace stoker::cli {
namespace {

double bytes_per_image(const pack::IndexReport& report) {
  return report.indexed() == 0
             ? 0
             : static_cast<double>(report.index_bytes) / static_cast<double>(report.indexed());
}

Json json_of(const pack::IndexOptions& options, const pack::IndexReport& report) {
  Json left_out = Json::array();
  for (const auto& [reason, count] : report.left_out.sorted()) {
    left_out.push(Json::object({{"reason", reason}, {"count", count}}));
  }
  return Json::object(
      {{"schema", "stoker.data.index/1"},
       {"path", options.path},
       {"index_path", report.index_path},
       {"columns", options.columns},
       {"threads", options.threads},
       {"samples", report.samples},
       {"indexed", report.indexed()},
       {"made", report.made},
       {"up_to_date", report.up_to_date},
       {"left_out", left_out},
       {"warnings", Json::strings(report.warnings)},
       {"index_bytes", report.index_bytes},
       {"bytes_per_image", bytes_per_image(report)},
       {"elapsed_ms", report.elapsed_ms},
       {"samples_per_s", static_cast<double>(report.samples) / report.elapsed_ms * 1e3}});
}

void print(const pack::IndexReport& report) {
  fmt::print("{} of {} images in the index {} ({:.1f} MB, {:.0f} bytes an image, {:.1f} s)\n",
             report.indexed(), report.samples, report.index_path,
             static_cast<double>(report.index_bytes) / 1e6, bytes_per_image(report),
             report.elapsed_ms / 1e3);
  if (report.up_to_date > 0) {
    fmt::print("{} entries were up to date, {} are new\n", report.up_to_date, report.made);
  }
  if (report.left_out.total() > 0) {
    fmt::print("left out, and decoded without the index: {}\n", report.left_out.text());
  }
}

int run(const ParsedArgs& args) {
  const ParamMap& values = args.values;
  const Interrupt interrupt;
  const pack::IndexOptions options{.path = values.text("path"),
                                   .columns = static_cast<int32_t>(values.integer("columns")),
                                   .threads = values.has("threads")
                                                  ? static_cast<int>(values.integer("threads"))
                                                  : SystemView().machine().usable_cpus(),
                                   .force = values.flag("force"),
                                   .stop = interrupt.flag()};
  pack::IndexReport report;
  try {
    ProgressLine line("images");
    report =
        pack::make_index(options, [&](int64_t done, int64_t total) { line.show(done, total); });
  } catch (const pack::Interrupted&) {
    message("interrupted; the index is as it was before");
    Interrupt::die();
  }
  for (const std::string& warning : report.warnings) {
    message(warning);
  }
  if (values.flag("json")) {
    fmt::print("{}\n", json_of(options, report).dump());
  } else {
    print(report);
  }
  return 0;
}

}  // namespace

Command command_data_index() {
  return {.name = "data index",
          .help =
              "Note where the parts of JPEGs are, so that crops of the untouched files decode "
              "faster.",
          .examples = {"stoker data index photos", "stoker data index shards --threads 8",
                       "stoker data index photos --columns 2 --json"},
          .options = {{.name = "columns",
                       .kind = ParamKind::Int,
                       .help = "blocks of 8 or 16 pixels between two notes in a row: fewer are a "
                               "little faster and take more room",
                       .value_name = "K",
                       .fallback = std::to_string(codec::kDefaultIndexColumns),
                       .min = 1,
                       .max = 65535},
                      {.name = "force",
                       .kind = ParamKind::Flag,
                       .help = "make all entries anew, also those that are up to date"},
                      threads_option(),
                      json_option()},
          .positionals = {{.name = "path",
                           .help = "folder with one sub-folder a class, tar file, or folder of "
                                   "tar files",
                           .value_name = "PATH",
                           .required = true}},
          .run = run};
}

}  // namespace stoker::cli
