// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/verdict.h"

#include <gmock/gmock.h>

#include "stoker/telemetry/layout.h"

namespace stoker::telemetry {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kAllHooks =
    layout::kSawLoader | layout::kSawForward | layout::kSawBackward | layout::kSawOptimizer;

// 41 % waiting, 83 % of the loader's work is decoding.
VerdictInput waiting_run() {
  VerdictInput input;
  input.steps = 1240;
  input.warmup = 5;
  input.saw = kAllHooks;
  input.share = {0.41, 0, 0.2, 0.33, 0.05, 0, 0.01};
  input.stage_ns = {5, 83, 10, 2};
  input.has_workers = true;
  input.usable_cpus = 1;
  input.step_mean_ns = 100.0 / 1240;  // the loader's work fills one CPU
  input.blocks = {{.wait_ns = 41, .length_ns = 100}, {.wait_ns = 41, .length_ns = 100}};
  return input;
}

VerdictInput computing_run() {
  VerdictInput input = waiting_run();
  input.share = {0.01, 0, 0.32, 0.6, 0.04, 0, 0.03};
  return input;
}

TEST(VerdictTest, InputNamesTheStageThatCostsMost) {
  VerdictInput input = waiting_run();
  input.native_decoding = true;
  const Verdict verdict = judge(input);
  EXPECT_EQ(verdict.kind, "input");
  EXPECT_EQ(verdict.sentence,
            "INPUT-BOUND: 41 % of each step is spent waiting for data; decoding images is 83 % of "
            "the loader's work.");
  EXPECT_THAT(verdict.fixes, IsEmpty());
  ASSERT_THAT(verdict.evidence, SizeIs(2));
  EXPECT_EQ(verdict.evidence[0].what, "data_wait_share");
  EXPECT_DOUBLE_EQ(verdict.evidence[0].value, 0.41);
  EXPECT_EQ(verdict.evidence[1].what, "decode_share_of_loader");
  EXPECT_DOUBLE_EQ(verdict.evidence[1].value, 0.83);
}

TEST(VerdictTest, NativeDecodingIsPredictedWherePillowDecodes) {
  VerdictInput input = waiting_run();
  input.images_left_to_pillow = 1000;
  const Verdict verdict = judge(input);
  ASSERT_THAT(verdict.fixes, SizeIs(1));
  EXPECT_EQ(verdict.fixes[0].id, "native_decoding");
  EXPECT_EQ(verdict.fixes[0].change_class, "exact");
  // Twice as fast saves 0.83 / 2 of the loader's work, more than the waiting: all of it is hidden.
  EXPECT_DOUBLE_EQ(verdict.fixes[0].predicted_gain.value, 1 / 0.59);
  // 1.3 times as fast saves 0.83 x 0.3 / 1.3 = 0.191538 of it.
  EXPECT_NEAR(verdict.fixes[0].predicted_gain.low, 1 / (1 - 0.191538), 1e-5);
  EXPECT_THAT(verdict.sentence, HasSubstr("native_decoding [exact]: 1.7x predicted (1.2 to 1.7)."));
}

TEST(VerdictTest, WithoutWorkersTheWaitingItselfIsTheWork) {
  VerdictInput input = waiting_run();
  input.images_left_to_pillow = 1000;
  input.has_workers = false;
  const Verdict verdict = judge(input);
  ASSERT_THAT(verdict.fixes, SizeIs(1));
  EXPECT_NEAR(verdict.fixes[0].predicted_gain.value, 1 / (1 - 0.41 * 0.83 / 2), 1e-9);
}

TEST(VerdictTest, MoreWorkersNeedSpareCores) {
  VerdictInput input = waiting_run();
  input.native_decoding = true;
  input.usable_cpus = 16;
  const Verdict verdict = judge(input);
  ASSERT_THAT(verdict.fixes, SizeIs(1));
  EXPECT_EQ(verdict.fixes[0].id, "more_workers");
  EXPECT_EQ(verdict.fixes[0].change_class, "random");
  EXPECT_DOUBLE_EQ(verdict.fixes[0].predicted_gain.low, 1.0);
  // The model computes on all CPUs for 0.59 of the step, and the loader needs 1 CPU for all of it.
  EXPECT_DOUBLE_EQ(verdict.fixes[0].predicted_gain.value, 16 / (1 + 16 * 0.59));

  input.exposed_stall_share = 0.41;  // the model computes on a GPU: all of the waiting may go
  EXPECT_DOUBLE_EQ(judge(input).fixes.at(0).predicted_gain.value, 1 / 0.59);

  input.exposed_stall_share = {};
  input.usable_cpus = 2;  // 1 + 2 x 0.59 CPUs of work do not fit into two
  EXPECT_THAT(judge(input).fixes, IsEmpty());
}

TEST(VerdictTest, OnTheGpuOnlyTheExposedStallIsLost) {
  VerdictInput input = waiting_run();
  input.exposed_stall_share = 0.02;
  input.share = {0.15, 0, 0.3, 0.4, 0.1, 0, 0.05};
  EXPECT_EQ(judge(input).kind, "compute");
  EXPECT_EQ(judge(input).sentence,
            "COMPUTE-BOUND: 80 % of each step is the model's own work (forward 30 %, backward "
            "40 %, optimizer 10 %); the GPU waits for data 2 % of a step (the host's wait, 15 %, "
            "is hidden behind its work or falls on the first batches of an epoch).");
  EXPECT_DOUBLE_EQ(judge(input).evidence.at(1).value, 0.15);
  EXPECT_DOUBLE_EQ(judge(input).evidence.at(2).value, 0.02);
  input.share = {0.09, 0, 0.36, 0.4, 0.1, 0, 0.05};
  EXPECT_THAT(judge(input).sentence, HasSubstr("the GPU waits for data 2 % of a step."));
  input.exposed_stall_share = 0.3;
  EXPECT_THAT(judge(input).sentence,
              HasSubstr("INPUT-BOUND: the GPU waits 30 % of each step for data"));
}

TEST(VerdictTest, OnTheGpuItsOwnTimesSayWhatTheStepIs) {
  VerdictInput input = waiting_run();
  input.exposed_stall_share = 0.01;
  // The host waits for the GPU in a copy, outside of all phases.
  input.share = {0.01, 0, 0.12, 0.13, 0.01, 0, 0.73};
  EXPECT_EQ(judge(input).kind, "unclear");
  input.device_share = {0.39, 0.49, 0.08};
  EXPECT_EQ(judge(input).sentence,
            "COMPUTE-BOUND: 96 % of each step is the GPU's work on the model (forward 39 %, "
            "backward 49 %, optimizer 8 %); the GPU waits for data 1 % of a step.");
  input.device_share = {0.2, 0.3, 0.05};
  EXPECT_THAT(judge(input).sentence, HasSubstr("UNCLEAR: 44 % of each step lies outside"));
}

TEST(VerdictTest, Compute) {
  const Verdict verdict = judge(computing_run());
  EXPECT_EQ(verdict.kind, "compute");
  EXPECT_EQ(verdict.sentence,
            "COMPUTE-BOUND: 96 % of each step is the model's own work (forward 32 %, backward "
            "60 %, optimizer 4 %); waiting for data is 1 %.");
  EXPECT_THAT(verdict.fixes, IsEmpty());
}

TEST(VerdictTest, WhatIsNoMostOfAStepIsNamedByItsClock) {
  VerdictInput input = waiting_run();
  input.exposed_stall_share = 0.05;
  EXPECT_EQ(judge(input).kind, "compute");
  input.share = {0.6, 0, 0.1, 0.2, 0.05, 0, 0.05};
  EXPECT_EQ(judge(input).sentence,
            "UNCLEAR: neither the GPU's wait for data (5 %) nor the model's own work (35 %) makes "
            "up most of a step.");
}

struct UnclearCase {
  const char* name;
  void (*change)(VerdictInput&);
  const char* sentence;
};

class UnclearTest : public testing::TestWithParam<UnclearCase> {};

TEST_P(UnclearTest, SaysWhatIsMissing) {
  VerdictInput input = waiting_run();
  GetParam().change(input);
  const Verdict verdict = judge(input);
  EXPECT_EQ(verdict.kind, "unclear");
  EXPECT_EQ(verdict.sentence, std::string("UNCLEAR: ") + GetParam().sentence);
  EXPECT_THAT(verdict.fixes, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, UnclearTest,
    testing::Values(
        UnclearCase{"NotAttached",
                    [](VerdictInput& in) {
                      in.attached = false;
                      in.not_attached_reason = "python -I";
                    },
                    "stoker was not attached: python -I."},
        UnclearCase{"NoSteps",
                    [](VerdictInput& in) {
                      in.steps = 0;
                      in.saw = 0;
                    },
                    "no training step was seen: neither a DataLoader nor an optimizer was used."},
        UnclearCase{"Inference",
                    [](VerdictInput& in) {
                      in.steps = 0;
                      in.saw = layout::kSawLoader | layout::kSawForward;
                    },
                    "batches were loaded, but no optimizer step was seen, so there are no steps."},
        UnclearCase{"OneStepOnly", [](VerdictInput& in) { in.steps = 0; },
                    "no step was seen from border to border."},
        UnclearCase{"FewSteps", [](VerdictInput& in) { in.steps = 14; },
                    "only 9 steps after 5 of warm-up; 10 are needed."},
        UnclearCase{"NoForward", [](VerdictInput& in) { in.saw &= ~layout::kSawForward; },
                    "no forward pass was seen, so a step cannot be split."},
        UnclearCase{"NoBackward", [](VerdictInput& in) { in.saw &= ~layout::kSawBackward; },
                    "no backward pass was seen, so a step cannot be split."},
        UnclearCase{"Residual",
                    [](VerdictInput& in) { in.share = {0.3, 0, 0.1, 0.1, 0.1, 0, 0.4}; },
                    "40 % of each step lies outside of loading, forward, backward and optimizer."},
        UnclearCase{"Neither",
                    [](VerdictInput& in) { in.share = {0.08, 0, 0.2, 0.2, 0.05, 0, 0.24}; },
                    "neither waiting for data (8 %) nor the model's own work (45 %) makes up most "
                    "of a step."}),
    [](const testing::TestParamInfo<UnclearCase>& test) { return test.param.name; });

TEST(VerdictTest, ManyStepsOfWaitingOutweighAResidual) {
  VerdictInput input = waiting_run();
  input.share = {0.5, 0, 0.1, 0.1, 0.0, 0, 0.3};
  EXPECT_EQ(judge(input).kind, "input");
}

TEST(VerdictTest, GainIsOfTheTotalsAndItsIntervalOfTheBlocks) {
  const std::vector<StepBlock> blocks = {{.wait_ns = 0, .length_ns = 100},
                                         {.wait_ns = 50, .length_ns = 100},
                                         {.wait_ns = 80, .length_ns = 100}};
  const Estimate gain = gain_when_hidden(blocks, 1.0);
  EXPECT_DOUBLE_EQ(gain.value, 300.0 / 170.0);
  EXPECT_DOUBLE_EQ(gain.low, 1.2);   // 10th percentile of 1, 2, 5
  EXPECT_DOUBLE_EQ(gain.high, 4.4);  // 90th
  EXPECT_DOUBLE_EQ(gain_when_hidden({}, 1.0).value, 1.0);
}

}  // namespace
}  // namespace stoker::telemetry
