// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "stoker/telemetry/layout.h"

namespace stoker::telemetry {
namespace {

constexpr int64_t kFewestSteps = 10;     // after warm-up
constexpr double kInputShare = 0.10;     // from here on waiting is what holds the step back
constexpr double kResidualLimit = 0.25;  // above this the hooks have missed something
constexpr double kComputeShare = 0.50;   // of the step, for the model's own work to dominate
constexpr double kWorthSaying = 1.05;    // a smaller predicted gain is no advice
constexpr double kStageLead = 0.35;      // below this no stage is named

double of(const VerdictInput& input, Phase phase) {
  return input.share[static_cast<size_t>(phase)];
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", share * 100.0);
}

Verdict unclear(const std::string& why) {
  return {.kind = "unclear", .sentence = fmt::format("UNCLEAR: {}", why)};
}

// Forward, backward and optimizer, on the GPU where there is one.
std::array<double, 3> work_shares(const VerdictInput& input) {
  return input.device_share.value_or(std::array<double, 3>{
      of(input, Phase::Forward), of(input, Phase::Backward), of(input, Phase::Optimizer)});
}

double unexplained_share(const VerdictInput& input) {
  if (!input.device_share) {
    return of(input, Phase::Residual);
  }
  const std::array<double, 3> work = work_shares(input);
  return std::max(0.0, 1.0 - work[0] - work[1] - work[2] - input.exposed_stall_share.value_or(0.0));
}

// The first thing that forbids a verdict, or "".
std::string what_is_missing(const VerdictInput& input) {
  const auto saw = [&](layout::Saw hook) { return (input.saw & hook) != 0; };
  if (!input.attached) {
    return fmt::format("stoker was not attached: {}.", input.not_attached_reason);
  }
  if (input.steps == 0) {
    if (!saw(layout::kSawOptimizer)) {
      return saw(layout::kSawLoader)
                 ? "batches were loaded, but no optimizer step was seen, so there are no steps."
                 : "no training step was seen: neither a DataLoader nor an optimizer was used.";
    }
    return "no step was seen from border to border.";
  }
  const int64_t counted = input.steps - input.warmup;
  if (counted < kFewestSteps) {
    return fmt::format("only {} steps after {} of warm-up; {} are needed.", counted, input.warmup,
                       kFewestSteps);
  }
  if (!saw(layout::kSawForward)) {
    return "no forward pass was seen, so a step cannot be split.";
  }
  if (!saw(layout::kSawBackward)) {
    return "no backward pass was seen, so a step cannot be split.";
  }
  const double residual = unexplained_share(input);
  if (residual > kResidualLimit &&
      residual > input.exposed_stall_share.value_or(of(input, Phase::DataWait))) {
    return fmt::format("{} of each step lies outside of loading, forward, backward and optimizer.",
                       percent(residual));
  }
  return {};
}

struct Costliest {
  Stage stage = Stage::Read;
  double share = 0;
};

std::optional<Costliest> costliest_stage(const VerdictInput& input) {
  const auto total = static_cast<double>(
      std::accumulate(input.stage_ns.begin(), input.stage_ns.end(), int64_t{0}));
  if (total <= 0) {
    return {};
  }
  const auto most = std::max_element(input.stage_ns.begin(), input.stage_ns.end());
  return Costliest{.stage = static_cast<Stage>(std::distance(input.stage_ns.begin(), most)),
                   .share = static_cast<double>(*most) / total};
}

// Share of the waiting that goes away when decoding becomes `speedup` times as fast. With workers
// the loader is what the step waits for, so a step takes as long as the loader's work; without
// them the work is the waiting.
double hidden_by_decoding(const VerdictInput& input, double decode_share, double speedup) {
  const double saved = decode_share * (1.0 - 1.0 / speedup);
  if (!input.has_workers) {
    return saved;
  }
  const double wait = of(input, Phase::DataWait);
  return std::min(1.0, saved / wait);
}

// Of decoding just the needed region, over decoding the whole image, for crops of usual sizes.
constexpr Estimate kNativeSpeedup = {.low = 1.3, .value = 2.0, .high = 3.0};

// The gain that no number of workers can exceed: the loader's work and the model's have to fit into
// the CPUs. A model on a GPU keeps one CPU busy, one without all of them.
double most_from_workers(const VerdictInput& input) {
  if (input.usable_cpus < 2 || input.step_mean_ns <= 0) {
    return 1.0;
  }
  const auto loader_ns = static_cast<double>(
      std::accumulate(input.stage_ns.begin(), input.stage_ns.end(), int64_t{0}));
  const double loader = loader_ns / static_cast<double>(input.steps) / input.step_mean_ns;
  const double rest = 1.0 - of(input, Phase::DataWait);
  const double busy = input.exposed_stall_share ? rest : rest * input.usable_cpus;
  return 1.0 / std::max(rest, (loader + busy) / input.usable_cpus);
}

std::vector<Fix> input_fixes(const VerdictInput& input, const std::optional<Costliest>& stage) {
  std::vector<Fix> fixes;
  if (stage && stage->stage == Stage::Decode && !input.native_decoding &&
      input.images_left_to_pillow > 0) {
    const auto gain = [&](double speedup) {
      return gain_when_hidden(input.blocks, hidden_by_decoding(input, stage->share, speedup));
    };
    fixes.push_back({.id = "native_decoding",
                     .change_class = "exact",
                     .predicted_gain = {.low = gain(kNativeSpeedup.low).low,
                                        .value = gain(kNativeSpeedup.value).value,
                                        .high = gain(kNativeSpeedup.high).high}});
  }
  const double most = most_from_workers(input);
  if (most > kWorthSaying) {
    // More workers may take the cores that the model computes on: then nothing is gained.
    Estimate gain = gain_when_hidden(input.blocks, 1.0);
    gain = {.low = 1.0, .value = std::min(gain.value, most), .high = std::min(gain.high, most)};
    fixes.push_back({.id = "more_workers", .change_class = "random", .predicted_gain = gain});
  }
  return fixes;
}

std::string prediction(const std::vector<Fix>& fixes) {
  if (fixes.empty()) {
    return ".";
  }
  const Fix& fix = fixes.front();
  return fmt::format(". {} [{}]: {:.1f}x predicted ({:.1f} to {:.1f}).", fix.id, fix.change_class,
                     fix.predicted_gain.value, fix.predicted_gain.low, fix.predicted_gain.high);
}

Verdict judge_input(const VerdictInput& input, double waiting) {
  const std::optional<Costliest> stage = costliest_stage(input);
  Verdict verdict{.kind = "input", .fixes = input_fixes(input, stage)};
  if (input.exposed_stall_share) {
    verdict.sentence =
        fmt::format("INPUT-BOUND: the GPU waits {} of each step for data", percent(waiting));
    verdict.evidence.push_back({"exposed_stall_share", waiting, "share"});
  } else {
    verdict.sentence =
        fmt::format("INPUT-BOUND: {} of each step is spent waiting for data", percent(waiting));
  }
  verdict.evidence.push_back({"data_wait_share", of(input, Phase::DataWait), "share"});
  if (stage && stage->share >= kStageLead) {
    verdict.sentence += fmt::format("; {} is {} of the loader's work", stage_title(stage->stage),
                                    percent(stage->share));
    verdict.evidence.push_back(
        {fmt::format("{}_share_of_loader", stage_name(stage->stage)), stage->share, "share"});
  } else if (stage) {
    verdict.sentence += "; no stage of the loader stands out";
  } else {
    verdict.sentence += "; the stages of the loader were not seen";
  }
  verdict.sentence += prediction(verdict.fixes);
  return verdict;
}

// The bars show the host's wait too: say where it went when the GPU hardly waits.
std::string waiting_clause(const VerdictInput& input, double waiting) {
  if (!input.exposed_stall_share) {
    return fmt::format("waiting for data is {}", percent(waiting));
  }
  std::string text = fmt::format("the GPU waits for data {} of a step", percent(waiting));
  if (const double host = of(input, Phase::DataWait); host >= kInputShare) {
    text += fmt::format(
        " (the host's wait, {}, is hidden behind its work or falls on the first batches of an "
        "epoch)",
        percent(host));
  }
  return text;
}

Verdict judge_compute(const VerdictInput& input, double waiting) {
  const auto [forward, backward, optimizer] = work_shares(input);
  const double compute = forward + backward + optimizer;
  if (compute < kComputeShare) {
    return unclear(
        fmt::format("neither {} ({}) nor the model's own work ({}) makes up most of a step.",
                    input.exposed_stall_share ? "the GPU's wait for data" : "waiting for data",
                    percent(waiting), percent(compute)));
  }
  Verdict verdict{
      .kind = "compute",
      .sentence = fmt::format(
          "COMPUTE-BOUND: {} of each step is {} (forward {}, backward {}, optimizer {}); {}.",
          percent(compute),
          input.device_share ? "the GPU's work on the model" : "the model's own work",
          percent(forward), percent(backward), percent(optimizer), waiting_clause(input, waiting)),
      .evidence = {{"compute_share", compute, "share"},
                   {"data_wait_share", of(input, Phase::DataWait), "share"}}};
  if (input.exposed_stall_share) {
    verdict.evidence.push_back({"exposed_stall_share", waiting, "share"});
  }
  return verdict;
}

}  // namespace

const char* stage_title(Stage stage) {
  static constexpr std::array<const char*, kStageCount> kTitles = {
      "reading files", "decoding images", "transforming", "collating batches"};
  return kTitles.at(static_cast<size_t>(stage));
}

Estimate gain_when_hidden(const std::vector<StepBlock>& blocks, double hidden) {
  const auto gain_of = [&](const StepBlock& block) {
    const double left =
        static_cast<double>(block.length_ns) - hidden * static_cast<double>(block.wait_ns);
    return left <= 0 ? 1.0 : static_cast<double>(block.length_ns) / left;
  };
  StepBlock all;
  std::vector<double> gains;
  for (const StepBlock& block : blocks) {
    all.wait_ns += block.wait_ns;
    all.length_ns += block.length_ns;
    gains.push_back(gain_of(block));
  }
  if (gains.empty()) {
    return {.low = 1.0, .value = 1.0, .high = 1.0};
  }
  const double value = gain_of(all);
  return {.low = std::min(value, percentile(gains, 10)),
          .value = value,
          .high = std::max(value, percentile(gains, 90))};
}

Verdict judge(const VerdictInput& input) {
  const std::string missing = what_is_missing(input);
  if (!missing.empty()) {
    Verdict verdict = unclear(missing);
    verdict.evidence.push_back({"steps", static_cast<double>(input.steps), "steps"});
    return verdict;
  }
  const double waiting = input.exposed_stall_share.value_or(of(input, Phase::DataWait));
  return waiting >= kInputShare ? judge_input(input, waiting) : judge_compute(input, waiting);
}

}  // namespace stoker::telemetry
