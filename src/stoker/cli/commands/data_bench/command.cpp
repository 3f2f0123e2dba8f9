// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/cli/commands/data_bench/measurement.h"
#include "stoker/core/error.h"
#include "stoker/core/json.h"
#include "stoker/core/system_view.h"
#include "stoker/io/open_source.h"
#include "stoker/pipeline/transform_text.h"

namespace stoker::cli {
namespace {

// What is measured.
struct BenchSetup {
  std::string path;
  int64_t files = 0;
  int32_t width = 0;  // of a sample
  std::vector<pipeline::TransformSpec> transforms;
  int32_t threads = 1;
};

double share_of(const Measurement& found, size_t stage) {
  int64_t sum = 0;
  for (const int64_t ns : found.stage_ns) {
    sum += ns;
  }
  return static_cast<double>(found.stage_ns[stage]) /
         static_cast<double>(std::max<int64_t>(sum, 1));
}

Json json_of(const BenchSetup& setup, const std::string& baseline, const Measurement& found) {
  const double rate = median(found.native_rates);
  const int64_t read = found.samples + found.skipped;
  Json stages = Json::array();
  for (size_t stage = 0; stage < scan::kStages.size(); ++stage) {
    stages.push(Json::object({{"name", scan::kStages[stage]}, {"share", share_of(found, stage)}}));
  }
  Json json = Json::object(
      {{"schema", "stoker.data.bench/1"},
       {"machine", machine_json(SystemView().machine())},
       {"path", setup.path},
       {"files", setup.files},
       {"size", setup.width},
       {"transforms", pipeline::transforms_text(setup.transforms)},
       {"threads", setup.threads},
       {"samples_per_s", rate},
       {"per_thread", rate / setup.threads},
       {"skipped", found.skipped},
       {"indexed_share", static_cast<double>(found.indexed) / static_cast<double>(read)},
       {"stages", std::move(stages)}});
  if (found.rounds.empty()) {
    json.set("baseline", Json()).set("no_baseline_reason", found.no_baseline_reason);
    return json.set("ratio", Json());
  }
  const Estimate ratio = paired_gain(found.rounds);
  json.set("baseline",
           Json::object({{"name", baseline}, {"samples_per_s", median(found.baseline_rates)}}));
  return json.set("ratio", Json::array({ratio.low, ratio.value, ratio.high}));
}

void print_human(const Json& json) {
  const auto threads = json["threads"].integer();
  fmt::print("native    {:8.0f} samples/s  {} thread{}, {:.0f} each\n",
             json["samples_per_s"].number(), threads, threads == 1 ? "" : "s",
             json["per_thread"].number());
  std::string stages;
  for (const Json& stage : json["stages"].items()) {
    stages += fmt::format("{}{} {:.0f} %", stages.empty() ? "" : " · ", stage["name"].text(),
                          stage["share"].number() * 100);
  }
  fmt::print("          {}\n", stages);
  if (json["baseline"].is_null()) {
    fmt::print("baseline  none: {}\n", json["no_baseline_reason"].text());
    return;
  }
  fmt::print("baseline  {:8.0f} samples/s  {}\n", json["baseline"]["samples_per_s"].number(),
             json["baseline"]["name"].text());
  const Json::Array& ratio = json["ratio"].items();
  fmt::print("ratio     {:8.2f}x           95 % interval {:.2f} to {:.2f}\n", ratio[1].number(),
             ratio[0].number(), ratio[2].number());
}

std::vector<pipeline::TransformSpec> transforms_of(const ParamMap& values) {
  if (!values.has("transforms")) {
    const int64_t size = values.has("size") ? values.integer("size") : 224;
    return pipeline::parse_transforms(
        fmt::format("RandomResizedCrop({}), RandomHorizontalFlip(), ToTensor(), "
                    "Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))",
                    size));
  }
  if (values.has("size")) {
    throw Error(ErrorCode::InvalidArgument, "--size and --transforms are both given",
                "the transforms say how large a sample is");
  }
  return pipeline::parse_transforms(values.text("transforms"));
}

// For bench_baseline.py.
std::string specs_json(const std::vector<pipeline::TransformSpec>& specs) {
  Json list = Json::array();
  for (const pipeline::TransformSpec& spec : specs) {
    Json params = Json::object();
    for (const auto& [name, value] : spec.params) {
      params.set(name, value);
    }
    list.push(Json::array({spec.name, std::move(params)}));
  }
  return list.dump(-1);
}

int run(const ParsedArgs& args) {
  const ParamMap& values = args.values;
  BenchSetup setup{.path = values.text("path"),
                   .transforms = transforms_of(values),
                   .threads = values.has("threads")
                                  ? static_cast<int32_t>(values.integer("threads"))
                                  : SystemView().machine().usable_cpus()};
  const std::string index = values.text("index") == "none" ? "" : values.text("index");
  const std::shared_ptr<const io::Source> source =
      io::open_source(setup.path, io::SourceOptions{.index = index});
  setup.files = source->count();
  scan::LoaderSpeed native(source, setup.transforms, setup.threads);
  setup.width = native.width();
  Result<std::unique_ptr<Baseline>> baseline =
      values.flag("no_baseline")
          ? Result<std::unique_ptr<Baseline>>(Status(ErrorCode::NotFound, "not asked for"))
          : Baseline::start(setup.path, specs_json(setup.transforms), setup.threads);
  Measurement found =
      measure(native, baseline.ok() ? baseline->get() : nullptr, values.number("seconds"));
  if (!baseline.ok()) {
    found.no_baseline_reason = baseline.status().message();
  }
  const Json json = json_of(setup, baseline.ok() ? (*baseline)->name() : "", found);
  if (values.flag("json")) {
    fmt::print("{}\n", json.dump());
  } else {
    print_human(json);
  }
  if (found.skipped > 0) {
    message(fmt::format("{} samples were left out: not for the native decoders", found.skipped));
  }
  return 0;
}

}  // namespace

Command command_data_bench() {
  return {
      .name = "data bench",
      .help = "Measure how fast images become training samples, beside Pillow and torchvision.",
      .examples = {"stoker data bench photos", "stoker data bench photos --threads 1 --seconds 20",
                   "stoker data bench shards --index none",
                   "stoker data bench photos --transforms \"Resize(256), CenterCrop(224)\" --json"},
      .options = {{.name = "size",
                   .kind = ParamKind::Int,
                   .help = "side of a sample of the usual transforms [224]",
                   .value_name = "PIXELS",
                   .min = 1,
                   .max = 8192},
                  {.name = "transforms",
                   .kind = ParamKind::Text,
                   .help = "others than RandomResizedCrop, flip, ToTensor and Normalize",
                   .value_name = "TEXT"},
                  {.name = "index",
                   .kind = ParamKind::Text,
                   .help = "what `stoker data index` made: auto, none or a path",
                   .value_name = "INDEX",
                   .fallback = "auto"},
                  threads_option(),
                  {.name = "seconds",
                   .kind = ParamKind::Float,
                   .help = "time to measure",
                   .value_name = "S",
                   .fallback = "10",
                   .min = 0.1,
                   .max = 3600},
                  {.name = "no_baseline",
                   .kind = ParamKind::Flag,
                   .help = "leave Pillow and torchvision out"},
                  json_option()},
      .positionals = {{.name = "path",
                       .help = "folder of classes, tar, or folder of tars",
                       .value_name = "PATH",
                       .required = true}},
      .run = run};
}

}  // namespace stoker::cli
