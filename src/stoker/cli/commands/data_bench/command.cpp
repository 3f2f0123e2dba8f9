// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "stoker/cli/commands/data_bench/baseline.h"
#include "stoker/cli/commands/data_bench/native_chain.h"
#include "stoker/core/error.h"
#include "stoker/core/json.h"
#include "stoker/core/stats.h"
#include "stoker/core/system_view.h"

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 3;  // of A-B-B-A
constexpr double kWarmUpSeconds = 0.3;

struct Measurement {
  std::vector<double> native_rates;  // samples per second, one a block
  std::vector<double> baseline_rates;
  std::vector<AbbaRound> rounds;
  int64_t skipped = 0;
  StageTimes times{};
  std::string baseline_name;
  std::string no_baseline_reason;
};

std::vector<std::string> find_jpegs(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (fs::recursive_directory_iterator entry(folder, options, error), end; entry != end;
       entry.increment(error)) {
    std::string extension = entry->path().extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (extension == ".jpg" || extension == ".jpeg") {
      files.push_back(entry->path().string());
    }
  }
  if (files.empty()) {
    throw Error(ErrorCode::NotFound,
                fmt::format("no .jpg or .jpeg file below '{}'{}", folder,
                            error ? ": " + error.message() : ""),
                "name a folder of JPEG files; `stoker data synth DIR` makes one");
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Bench {
 public:
  Bench(NativeBench& native, Baseline* baseline) : native_(native), baseline_(baseline) {}

  Measurement run(double seconds) {
    native_.run_block(kWarmUpSeconds);
    if (baseline_ != nullptr && baseline_block(kWarmUpSeconds)) {
      const double block = seconds / (4 * kRounds);
      for (int round = 0; round < kRounds && baseline_ != nullptr; ++round) {
        run_round(block);
      }
    }
    if (baseline_ == nullptr) {
      for (int block = 0; block < kRounds; ++block) {
        native_block(seconds / kRounds);
      }
    }
    return std::move(found_);
  }

 private:
  // Both give seconds a sample.
  double native_block(double seconds) {
    const NativeBlock block = native_.run_block(seconds);
    found_.skipped += block.skipped;
    for (size_t stage = 0; stage < block.times.size(); ++stage) {
      found_.times[stage] += block.times[stage];
    }
    found_.native_rates.push_back(static_cast<double>(block.samples) / block.seconds);
    return 1 / found_.native_rates.back();
  }

  std::optional<double> baseline_block(double seconds) {
    const Result<BaselineBlock> block = baseline_->run_block(seconds);
    if (!block.ok()) {
      found_.no_baseline_reason = block.status().message();
      found_.rounds.clear();
      baseline_ = nullptr;
      return std::nullopt;
    }
    return block->seconds / static_cast<double>(block->samples);
  }

  void run_round(double seconds) {
    AbbaRound round;
    const std::optional<double> first = baseline_block(seconds);
    if (!first) {
      return;
    }
    round.a_first = *first;
    round.b_first = native_block(seconds);
    round.b_second = native_block(seconds);
    const std::optional<double> second = baseline_block(seconds);
    if (!second) {
      return;
    }
    round.a_second = *second;
    found_.baseline_rates.push_back(1 / round.a_first);
    found_.baseline_rates.push_back(1 / round.a_second);
    found_.rounds.push_back(round);
  }

  NativeBench& native_;
  Baseline* baseline_;
  Measurement found_;
};

double share_of(const Measurement& found, size_t stage) {
  int64_t sum = 0;
  for (const int64_t time : found.times) {
    sum += time;
  }
  return static_cast<double>(found.times[stage]) / static_cast<double>(std::max<int64_t>(sum, 1));
}

Json json_of(const ParamMap& values, size_t files, int threads, const Measurement& found) {
  const double rate = median(found.native_rates);
  Json stages = Json::array();
  for (size_t stage = 0; stage < kChainStages.size(); ++stage) {
    stages.push(Json::object({{"name", kChainStages[stage]}, {"share", share_of(found, stage)}}));
  }
  Json json = Json::object({{"schema", "stoker.data.bench/1"},
                            {"machine", machine_json(SystemView().machine())},
                            {"path", values.text("path")},
                            {"files", files},
                            {"size", values.integer("size")},
                            {"threads", threads},
                            {"samples_per_s", rate},
                            {"per_thread", rate / threads},
                            {"skipped", found.skipped},
                            {"stages", std::move(stages)}});
  if (found.rounds.empty()) {
    json.set("baseline", Json()).set("no_baseline_reason", found.no_baseline_reason);
    return json.set("ratio", Json());
  }
  const Estimate ratio = paired_gain(found.rounds);
  json.set("baseline", Json::object({{"name", found.baseline_name},
                                     {"samples_per_s", median(found.baseline_rates)}}));
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

int run(const ParsedArgs& args) {
  const ParamMap& values = args.values;
  const auto size = static_cast<int32_t>(values.integer("size"));
  const int threads = values.has("threads") ? static_cast<int>(values.integer("threads"))
                                            : SystemView().machine().usable_cpus();
  const std::string& folder = values.text("path");
  const std::vector<std::string> files = find_jpegs(folder);
  NativeBench native(files, size, threads, 0);
  Result<std::unique_ptr<Baseline>> baseline =
      values.flag("no_baseline")
          ? Result<std::unique_ptr<Baseline>>(Status(ErrorCode::NotFound, "not asked for"))
          : Baseline::start(folder, size, threads);
  Measurement found =
      Bench(native, baseline.ok() ? baseline->get() : nullptr).run(values.number("seconds"));
  if (baseline.ok()) {
    found.baseline_name = (*baseline)->name();
  } else {
    found.no_baseline_reason = baseline.status().message();
  }
  const Json json = json_of(values, files.size(), threads, found);
  if (values.flag("json")) {
    fmt::print("{}\n", json.dump());
  } else {
    print_human(json);
  }
  if (found.skipped > 0) {
    message(fmt::format("{} samples were left out: not for the native decoder", found.skipped));
  }
  return 0;
}

}  // namespace

Command command_data_bench() {
  return {
      .name = "data bench",
      .help = "Measure how fast the JPEG files of a folder become training samples.",
      .examples = {"stoker data bench photos", "stoker data bench photos --threads 1 --seconds 20",
                   "stoker data bench photos --size 160 --json"},
      .options = {{.name = "size",
                   .kind = ParamKind::Int,
                   .help = "side of a sample in pixels",
                   .value_name = "PIXELS",
                   .fallback = "224",
                   .min = 1,
                   .max = 8192},
                  {.name = "threads",
                   .kind = ParamKind::Int,
                   .help = "threads, by default as many as may run at once",
                   .value_name = "N",
                   .min = 1,
                   .max = 1024},
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
                       .help = "folder of JPEG files",
                       .value_name = "PATH",
                       .required = true}},
      .run = run};
}

}  // namespace stoker::cli
