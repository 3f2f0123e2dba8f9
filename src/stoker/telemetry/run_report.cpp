// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/run_report.h"

#include <algorithm>

namespace stoker::telemetry {
namespace {

constexpr double kNsPerMs = 1e6;

double ratio(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

// One process for each rank.
std::vector<const ProcessData*> speakers(const RunData& run) {
  std::vector<const ProcessData*> out;
  for (const ProcessData& process : run.mains) {
    if (out.empty() || out.back()->info.rank != process.info.rank) {
      out.push_back(&process);
    }
  }
  // A rank without steps is only worth a word when no rank has any.
  const auto has_steps = [](const ProcessData* p) { return p->steps.steps > 0; };
  if (std::any_of(out.begin(), out.end(), has_steps)) {
    std::erase_if(out, [&](const ProcessData* p) { return !has_steps(p); });
  }
  return out;
}

// The steps of all ranks as if one process had made them.
StepData merged_steps(const std::vector<const ProcessData*>& processes) {
  StepData all;
  for (const ProcessData* process : processes) {
    const StepData& one = process->steps;
    all.steps = std::max(all.steps, one.steps);
    all.saw |= one.saw;
    all.overhead_us = std::max(all.overhead_us, one.overhead_us);
    all.step.merge(one.step);
    for (size_t i = 0; i < all.phases.size(); ++i) {
      all.phases[i].merge(one.phases[i]);
    }
    for (size_t i = 0; i < all.device.size(); ++i) {
      all.device[i].merge(one.device[i]);
    }
    all.pause_count += one.pause_count;
    all.pause_ns += one.pause_ns;
    all.pause_worker_start_ns += one.pause_worker_start_ns;
    all.pause_lever_work_ns += one.pause_lever_work_ns;
    all.pauses.insert(all.pauses.end(), one.pauses.begin(), one.pauses.end());
    all.recent.insert(all.recent.end(), one.recent.begin(), one.recent.end());
  }
  return all;
}

// No hook sees the script copy or wait for the GPU on the host.
bool is_measured(Phase phase) {
  return phase != Phase::Transfer && phase != Phase::Sync;
}

std::vector<PhaseRow> phase_rows(const StepData& steps) {
  std::vector<PhaseRow> rows;
  for (size_t i = 0; i < steps.phases.size(); ++i) {
    const auto phase = static_cast<Phase>(i);
    PhaseRow row{.name = phase_name(phase), .clock = "host"};
    if (is_measured(phase) && steps.step.count() > 0) {
      row.median_ms = steps.phases[i].percentile_ms(0.5);
      row.mean_ms = steps.phases[i].mean_ms();
      row.share = ratio(steps.phases[i].sum_ns(), steps.step.sum_ns());
    }
    rows.push_back(row);
  }
  const auto device = [&](layout::Device d) -> const Spread& {
    return steps.device[static_cast<size_t>(d)];
  };
  if (device(layout::Device::Step).count() == 0) {
    return rows;
  }
  for (const auto& [phase, series] : {std::pair{Phase::Forward, layout::Device::Forward},
                                      std::pair{Phase::Backward, layout::Device::Backward},
                                      std::pair{Phase::Optimizer, layout::Device::Optimizer}}) {
    rows.push_back(
        {.name = phase_name(phase),
         .clock = "device",
         .median_ms = device(series).percentile_ms(0.5),
         .mean_ms = device(series).mean_ms(),
         .share = ratio(device(series).sum_ns(), device(layout::Device::Step).sum_ns())});
  }
  return rows;
}

std::vector<StageRow> stage_rows(const LoaderWork& work) {
  std::vector<StageRow> rows;
  const int64_t total = work.total_ns();
  for (size_t i = 0; i < work.stage_ns.size() && total > 0; ++i) {
    rows.push_back({.name = stage_name(static_cast<Stage>(i)),
                    .share = ratio(work.stage_ns[i], total),
                    .ms = ratio(work.stage_ns[i], work.batches) / kNsPerMs});
  }
  return rows;
}

double samples_per_s(const std::vector<const ProcessData*>& processes) {
  double sum = 0;
  for (const ProcessData* process : processes) {
    sum += ratio(process->steps.samples, process->steps.step.sum_ns()) * 1e9;
  }
  return sum;
}

// About twenty blocks over the steps that are kept, so that an epoch's slow first steps are one
// block among others.
std::vector<StepBlock> blocks_of(const std::vector<StepRecord>& steps) {
  const size_t size = std::max<size_t>(1, steps.size() / 20);
  std::vector<StepBlock> blocks;
  for (size_t begin = 0; begin + size <= steps.size(); begin += size) {
    StepBlock block;
    for (size_t i = begin; i < begin + size; ++i) {
      block.wait_ns += steps[i].phase_ns[static_cast<size_t>(Phase::DataWait)];
      block.length_ns += steps[i].length_ns();
    }
    blocks.push_back(block);
  }
  return blocks;
}

// The newest steps, warm-up left out where they still hold it.
std::vector<StepBlock> blocks_after_warmup(const std::vector<const ProcessData*>& processes) {
  std::vector<StepBlock> all;
  for (const ProcessData* process : processes) {
    std::vector<StepRecord> steps = process->steps.recent;
    const auto gone = process->steps.steps - static_cast<int64_t>(steps.size());
    const auto skip =
        std::clamp<int64_t>(layout::kWarmupSteps - gone, 0, static_cast<int64_t>(steps.size()));
    steps.erase(steps.begin(), steps.begin() + skip);
    const std::vector<StepBlock> blocks = blocks_of(steps);
    all.insert(all.end(), blocks.begin(), blocks.end());
  }
  return all;
}

VerdictInput verdict_input(const RunReport& report, const StepData& steps,
                           const std::vector<const ProcessData*>& processes) {
  VerdictInput input;
  input.attached = report.attached;
  input.not_attached_reason = report.context.not_attached_reason;
  input.steps = report.steps;
  input.warmup = report.warmup;
  input.saw = steps.saw;
  for (size_t i = 0; i < input.share.size(); ++i) {
    input.share[i] = report.phases[i].share.value_or(0.0);
  }
  input.exposed_stall_share = report.exposed_stall_share;
  if (report.phases.size() == kPhaseCount + 3) {
    std::array<double, 3> shares{};
    for (size_t i = 0; i < shares.size(); ++i) {
      shares.at(i) = report.phases[kPhaseCount + i].share.value_or(0.0);
    }
    input.device_share = shares;
  }
  input.stage_ns = report.loader.stage_ns;
  input.has_workers = report.worker_processes > 0;
  input.step_mean_ns = report.step_mean_ns;
  input.usable_cpus = report.context.machine.usable_cpus();
  input.images_left_to_pillow = report.counter(Counter::ImagesPillow);
  input.native_decoding = std::any_of(
      report.levers.begin(), report.levers.end(),
      [](const Lever& lever) { return lever.id == "native_decoding" && lever.applied; });
  input.blocks = blocks_after_warmup(processes);
  return input;
}

}  // namespace

double RunReport::duration_ms() const {
  return static_cast<double>(context.ended_wall_ns - context.started_wall_ns) / kNsPerMs;
}

int64_t RunReport::counter(Counter which) const {
  return loader.counters[static_cast<size_t>(which)];
}

RunReport make_report(const RunData& run, const RunContext& context) {
  const std::vector<const ProcessData*> processes = speakers(run);
  const StepData steps = merged_steps(processes);
  RunReport report;
  report.context = context;
  report.attached = !run.mains.empty() || run.workers.processes > 0;
  for (const ProcessData* process : processes) {
    const StepData& own = process->steps;
    report.ranks.push_back(
        {.rank = process->info.rank,
         .pid = process->info.pid,
         .steps = own.steps,
         .step_median_ms = own.step.percentile_ms(0.5),
         .data_wait_share =
             ratio(own.phases[static_cast<size_t>(Phase::DataWait)].sum_ns(), own.step.sum_ns())});
  }
  report.levers = run.levers;
  report.steps = steps.steps;
  report.warmup = std::min(steps.steps, layout::kWarmupSteps);
  const Spread& device_step = steps.device[static_cast<size_t>(layout::Device::Step)];
  // A host that does not wait for the device runs ahead, and stops now and then.
  report.steps_on_device = device_step.count() > 0;
  const Spread& step = report.steps_on_device ? device_step : steps.step;
  report.step_median_ms = step.percentile_ms(0.5);
  report.step_mean_ns = ratio(steps.step.sum_ns(), steps.step.count());
  report.step_p10_ms = step.percentile_ms(0.1);
  report.step_p90_ms = step.percentile_ms(0.9);
  report.step_p99_ms = step.percentile_ms(0.99);
  report.samples_per_s = samples_per_s(processes);
  report.phases = phase_rows(steps);
  if (report.steps_on_device) {
    const Spread& stall = steps.device[static_cast<size_t>(layout::Device::ExposedStall)];
    report.exposed_stall_share = ratio(stall.sum_ns(), device_step.sum_ns());
  }
  if (steps.overhead_us >= 0) {
    report.overhead_us_per_step = steps.overhead_us;
  }
  report.loader = run.workers;
  for (const ProcessData& process : run.mains) {
    report.loader.merge(process.work);
  }
  report.worker_processes = run.workers.processes;
  report.stages = stage_rows(report.loader);
  report.pause_count = steps.pause_count;
  report.pause_ms = static_cast<double>(steps.pause_ns) / kNsPerMs;
  report.pause_worker_start_ms = static_cast<double>(steps.pause_worker_start_ns) / kNsPerMs;
  report.pause_lever_work_ms = static_cast<double>(steps.pause_lever_work_ns) / kNsPerMs;
  report.pauses = steps.pauses;
  report.errors = run.faults;
  report.verdict = judge(verdict_input(report, steps, processes));
  return report;
}

}  // namespace stoker::telemetry
