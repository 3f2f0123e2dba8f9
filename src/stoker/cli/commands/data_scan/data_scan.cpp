// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <mutex>
#include <optional>

#include "stoker/cli/command.h"
#include "stoker/cli/commands/data_scan/report.h"
#include "stoker/cli/pillow.h"
#include "stoker/cli/progress_line.h"
#include "stoker/core/error.h"
#include "stoker/core/system_view.h"
#include "stoker/io/open_source.h"
#include "stoker/pipeline/transform_text.h"

namespace stoker::cli {
namespace {

constexpr const char* kSpeedTransforms = "RandomResizedCrop(224)";
constexpr double kWarmUpSeconds = 0.2;
constexpr double kSpeedSeconds = 1.5;

// Starts a Pillow for each thread that needs one, and remembers why there is none.
class Pillows {
 public:
  std::unique_ptr<scan::Reference> make() {
    {
      const std::lock_guard lock(mutex_);
      if (!reason_.empty()) {
        return nullptr;
      }
    }
    Result<std::unique_ptr<Pillow>> pillow = Pillow::start();
    const std::lock_guard lock(mutex_);
    if (!pillow.ok()) {
      reason_ = pillow.status().message();
      return nullptr;
    }
    name_ = (*pillow)->name();
    return std::move(*pillow);
  }
  const std::string& name() const { return name_; }
  const std::string& reason() const { return reason_; }

 private:
  std::mutex mutex_;
  std::string name_, reason_;
};

// Nothing where the engine decodes none of the files.
std::optional<scan::SpeedBlock> measure_speed(const std::shared_ptr<const io::Source>& source,
                                              int threads) {
  scan::LoaderSpeed speed(source, pipeline::parse_transforms(kSpeedTransforms), threads);
  if (speed.run_block(kWarmUpSeconds).samples == 0) {
    return std::nullopt;
  }
  return speed.run_block(kSpeedSeconds);
}

int run(const ParsedArgs& args) {
  const ParamMap& values = args.values;
  const int threads = values.has("threads") ? static_cast<int>(values.integer("threads"))
                                            : SystemView().machine().usable_cpus();
  const std::string& path = values.text("path");
  const std::shared_ptr<const io::Source> source = io::open_source(path);
  Pillows pillows;
  const scan::ScanOptions options{.threads = threads,
                                  .pixel_images = values.integer("pixels"),
                                  .make_reference = [&] { return pillows.make(); }};
  std::optional<ProgressLine> line("files");
  const scan::ScanResult result =
      scan::scan(*source, options, [&](int64_t done, int64_t total) { line->show(done, total); });
  line.reset();
  std::optional<scan::SpeedBlock> speed;
  if (!values.flag("no_speed") && result.native > 0) {
    speed = measure_speed(source, threads);
  }
  const Json json = scan_json({.path = path,
                               .source = *source,
                               .result = result,
                               .threads = threads,
                               .judge = pillows.name(),
                               .no_judge_reason = pillows.reason(),
                               .speed = speed ? &*speed : nullptr,
                               .speed_transforms = kSpeedTransforms});
  fmt::print("{}", values.flag("json") ? json.dump() + "\n" : scan_text(json));
  return values.flag("strict") && !result.broken.empty() ? 1 : 0;
}

}  // namespace

Command command_data_scan() {
  return {.name = "data scan",
          .help = "Decode every image of a data set and say what is in it and what is wrong.",
          .examples = {"stoker data scan photos", "stoker data scan photos --strict --no-speed",
                       "stoker data scan shards --json > scan.json"},
          .options = {threads_option(),
                      {.name = "pixels",
                       .kind = ParamKind::Int,
                       .help = "images, evenly spread, that count for mean and std; 0: none",
                       .value_name = "N",
                       .fallback = "1000",
                       .min = 0,
                       .max = 1e9},
                      {.name = "no_speed",
                       .kind = ParamKind::Flag,
                       .help = "do not measure how fast samples can be made"},
                      {.name = "strict",
                       .kind = ParamKind::Flag,
                       .help = "exit status 1 when a file is broken"},
                      json_option()},
          .positionals = {{.name = "path",
                           .help = "folder of classes, tar, or folder of tars",
                           .value_name = "PATH",
                           .required = true}},
          .run = run};
}

}  // namespace stoker::cli
