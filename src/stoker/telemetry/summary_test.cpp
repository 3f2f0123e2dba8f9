// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/summary.h"

#include <gmock/gmock.h>

#include <sstream>

namespace stoker::telemetry {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

RunReport waiting_run() {
  RunReport report;
  report.steps = 1240;
  report.warmup = 5;
  report.step_median_ms = 182;
  report.step_p10_ms = 171;
  report.step_p90_ms = 210;
  report.samples_per_s = 702.4;
  report.overhead_us_per_step = 14;
  report.phases = {
      {.name = "data_wait", .clock = "host", .median_ms = 70, .mean_ms = 75, .share = 0.41},
      {.name = "transfer", .clock = "host"},
      {.name = "forward", .clock = "host", .median_ms = 36, .mean_ms = 38.2, .share = 0.21},
      {.name = "optimizer", .clock = "host", .mean_ms = 0.5, .share = 0.002},
      {.name = "residual", .clock = "host", .mean_ms = 1.8, .share = 0.01},
      {.name = "optimizer", .clock = "device", .mean_ms = 9.1, .share = 0.05}};
  report.levers = {{.id = "native_decoding", .change_class = "exact", .applied = true},
                   {.id = "pinned", .change_class = "exact", .reason = "no GPU"}};
  report.loader.counters = {12400, 44, 0, 0, 0};
  report.pause_count = 3;
  report.pause_ms = 12'400;
  report.pause_worker_start_ms = 2100;
  report.verdict = {.kind = "input", .sentence = "INPUT-BOUND: 41 % of each step is waiting."};
  report.errors = {{.where = "hook", .error = "boom\nat line 3", .count = 2}};
  return report;
}

TEST(SummaryTest, WholeText) {
  EXPECT_EQ(
      summary_text(waiting_run(), {.folder = "stoker-runs/x7/", .notes = {"a note"}}),
      "stoker  1,240 steps · 182 ms a step (p10 171, p90 210) · 702 samples/s · watching cost "
      "14.0 µs a step\n"
      "stoker          data wait     ███████████▌················  41 %    75.0 ms\n"
      "stoker          forward       █████▉······················  21 %    38.2 ms\n"
      "stoker          rest          ▎···························   1 %    1.80 ms\n"
      "stoker          gpu optimizer █▍··························   5 %    9.10 ms\n"
      "stoker  INPUT-BOUND: 41 % of each step is waiting.\n"
      "stoker          done          native decoding [exact]: 12,400 images, 44 compared with "
      "Pillow, 0 differ\n"
      "stoker          left out      pinned [exact]: no GPU\n"
      "stoker          pauses        3 between steps, 12.4 s in all, 2,100 ms of it starting "
      "workers\n"
      "stoker          fault         in stoker, not in your script: hook: boom at line 3 (2 "
      "times)\n"
      "stoker          note          a note\n"
      "stoker          files         stoker-runs/x7/\n");
}

TEST(SummaryTest, LeverWorkIsToldApart) {
  RunReport report = waiting_run();
  report.pause_ms = 55'400;
  report.pause_lever_work_ms = 41'000;
  EXPECT_THAT(
      summary_text(report, {}),
      HasSubstr("3 between steps, 55.4 s in all, 2,100 ms of it starting workers, 41.0 s of "
                "it trying levers (compiling included)\n"));
}

TEST(SummaryTest, LeversThatAreNotProvenAreSaidToBe) {
  RunReport report;
  report.verdict.sentence = "COMPUTE-BOUND.";
  report.levers = {{.id = "native_decoding", .change_class = "exact", .applied = true},
                   {.id = "tf32", .change_class = "precision", .reason = "no CUDA device"}};
  EXPECT_THAT(summary_text(report, {}), Not(HasSubstr("not proven")));
  report.levers.push_back({.id = "compile",
                           .change_class = "rounding",
                           .applied = true,
                           .detail = "reduce-overhead, 9.1 ms instead of 14.0"});
  EXPECT_THAT(summary_text(report, {}),
              EndsWith("stoker          done          compile [rounding]: reduce-overhead, 9.1 ms "
                       "instead of 14.0\n"
                       "stoker          left out      tf32 [precision]: no CUDA device\n"
                       "stoker          not proven    rounding and precision levers are not proven "
                       "for this script; `stoker tune` does that (not in this version yet)\n"));
  report.levers.back().change_class = "precision";
  EXPECT_THAT(summary_text(report, {}), HasSubstr("not proven"));
}

RunReport run_without_gpu() {
  const std::string no_gpu = "no CUDA device in use";
  RunReport report;
  report.levers = {{.id = "non_blocking", .change_class = "exact", .reason = no_gpu},
                   {.id = "compile", .change_class = "rounding", .reason = "no C compiler"},
                   {.id = "sdpa", .change_class = "rounding", .reason = no_gpu},
                   {.id = "pinned_memory", .change_class = "exact", .reason = no_gpu}};
  return report;
}

TEST(SummaryTest, LeversWithTheSameReasonShareARow) {
  RunReport report = run_without_gpu();
  report.context.allow = {"exact", "rounding"};
  EXPECT_THAT(summary_text(report, {}),
              EndsWith("stoker          left out      non blocking, pinned memory [exact], sdpa "
                       "[rounding]: no CUDA device in use\n"
                       "stoker          left out      compile [rounding]: no C compiler\n"));
}

TEST(SummaryTest, ExactLeversThatNeedAGpuAreNoNewsWithoutOne) {
  RunReport report = run_without_gpu();
  report.context.allow = {"exact"};
  report.levers.erase(report.levers.begin() + 1, report.levers.begin() + 3);
  EXPECT_THAT(summary_text(report, {}), Not(HasSubstr("left out")));
  report.levers.front().reason = "left out by --without";
  EXPECT_THAT(summary_text(report, {}),
              EndsWith("left out      non blocking [exact]: left out by --without\n"));
}

TEST(SummaryTest, RanksThatDisagreeAreNamed) {
  RunReport report;
  report.levers = {{.id = "tf32",
                    .change_class = "precision",
                    .applied = true,
                    .reason = "not on rank 1: an old GPU",
                    .detail = "9.1 ms instead of 14.0",
                    .ranks = {0}}};
  EXPECT_THAT(
      summary_text(report, {}),
      HasSubstr("done          tf32 [precision] on rank 0 only (not on rank 1: an old GPU): "
                "9.1 ms instead of 14.0\n"));
}

TEST(SummaryTest, DryRun) {
  RunReport report;
  report.context.dry_run = true;
  report.attached = true;
  report.steps = 3;
  report.verdict.sentence = "UNCLEAR: too few steps.";
  report.levers = {
      {.id = "native_decoding", .change_class = "exact", .planned = true},
      {.id = "compile", .change_class = "rounding", .planned = true, .detail = "default"},
      {.id = "tf32", .change_class = "precision", .reason = "no CUDA device"}};
  EXPECT_EQ(summary_text(report, {.folder = "f/"}),
            "stoker  DRY RUN: nothing was applied, and the script ends after its first three "
            "steps.\n"
            "stoker          would do        native decoding [exact]\n"
            "stoker          would do        compile [rounding]: default\n"
            "stoker          would leave out tf32 [precision]: no CUDA device\n"
            "stoker          not proven      rounding and precision levers are not proven for this "
            "script; `stoker tune` does that (not in this version yet)\n"
            "stoker          files           f/\n");
  report.steps = 0;
  EXPECT_THAT(summary_text(report, {}), HasSubstr("stoker  UNCLEAR: too few steps.\n"));
}

TEST(SummaryTest, EveryLineBeginsWithTheName) {
  std::istringstream lines(summary_text(waiting_run(), {.folder = "f/"}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, StartsWith("stoker"));
  }
}

TEST(SummaryTest, ColoursAreForTerminalsOnly) {
  EXPECT_THAT(summary_text(waiting_run(), {}), Not(HasSubstr("\033")));
  EXPECT_THAT(summary_text(waiting_run(), {.color = true}), HasSubstr("\033[1mINPUT-BOUND"));
}

TEST(SummaryTest, WithoutStepsOnlyTheVerdictSpeaks) {
  RunReport report;
  report.verdict.sentence = "UNCLEAR: nothing.";
  EXPECT_EQ(summary_text(report, {}), "stoker  UNCLEAR: nothing.\n");
}

TEST(SummaryTest, Thousands) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(-1234567), "-1,234,567");
  EXPECT_EQ(with_thousands(-100), "-100");
}

TEST(SummaryTest, Bars) {
  EXPECT_EQ(bar(0, 4), "····");
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(2, 4), "████");
  EXPECT_EQ(bar(0.5, 4), "██··");
  EXPECT_EQ(bar(1.0 / 32, 4), "▏···");
}

}  // namespace
}  // namespace stoker::telemetry
