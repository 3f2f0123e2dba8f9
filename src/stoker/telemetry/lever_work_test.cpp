// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stoker/telemetry/step_tracker_script.h"

namespace stoker::telemetry {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class LeverWorkTest : public StepTrackerTest {};

TEST_F(LeverWorkTest, LeverWorkAfterTheOptimizerIsNoPartOfTheStep) {
  next(7, 10);
  forward(20);
  backward(30);
  optimize(1, 5);
  const int64_t work_start = now;
  try_levers(1000);
  work(3);
  plain_step(7);
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_EQ(seen.steps[0].phase_ns, kPlain);
  EXPECT_EQ(seen.steps[1].phase_ns, kPlain);
  ASSERT_THAT(seen.pauses, SizeIs(1));
  EXPECT_EQ(seen.pauses[0].start_ns, work_start);
  EXPECT_EQ(seen.pauses[0].length_ns, 1000);
  EXPECT_EQ(seen.pauses[0].lever_work_ns, 1000);
  EXPECT_EQ(seen.pauses[0].worker_start_ns, 0);
  EXPECT_STREQ(seen.pauses[0].kind(), "lever_work");
}

TEST_F(LeverWorkTest, LeverWorkBetweenTwoOptimizersLeavesTheStepWhole) {
  for (int i = 0; i < 2; ++i) {
    next(7, 10);
    forward(20);
    backward(30);
    optimize(1, 5);
    try_levers(100);
    try_levers(200);
    forward(20);
    backward(30);
    optimize(2, 5);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_THAT(seen.steps[1].phase_ns, ElementsAre(10, 0, 40, 60, 10, 0, 0));
  ASSERT_THAT(seen.pauses, SizeIs(2));
  EXPECT_EQ(seen.pauses[1].lever_work_ns, 300);
}

TEST_F(LeverWorkTest, LeverWorkWithoutLoaderLosesNoStep) {
  for (int i = 0; i < 4; ++i) {
    forward(20);
    backward(30);
    optimize(1, 5);
    try_levers(1000);
    work(3);
  }
  ASSERT_THAT(seen.steps, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(seen.steps[i].phase_ns, ElementsAre(0, 0, 20, 30, 5, 0, 3));
    EXPECT_EQ(seen.steps[i].start_ns, 1000 + 55 + 1000 + static_cast<int64_t>(i) * 1058);
  }
  EXPECT_THAT(seen.pauses, SizeIs(3));
}

TEST_F(LeverWorkTest, LeverWorkInsideAPauseIsAPartOfIt) {
  try_levers(70);
  start_loader(50);
  plain_step(7);
  end_of(7);
  ASSERT_THAT(seen.pauses, SizeIs(1));
  EXPECT_EQ(seen.pauses[0].start_ns, 1000);
  EXPECT_EQ(seen.pauses[0].length_ns, 120);
  EXPECT_EQ(seen.pauses[0].lever_work_ns, 70);
  EXPECT_EQ(seen.pauses[0].worker_start_ns, 50);
}

// Left-over work of an epoch: what looked like a step becomes a pause, the work included once.
TEST_F(LeverWorkTest, LeverWorkOfAStepThatIsGivenUpGoesToThePause) {
  plain_step(7);
  const int64_t pause_start = now;
  next(7, 10);
  try_levers(500);
  forward(20);
  end_of(7);
  plain_step(8);
  end_of(8);
  ASSERT_THAT(seen.pauses, SizeIs(1));
  EXPECT_EQ(seen.pauses[0].start_ns, pause_start);
  EXPECT_EQ(seen.pauses[0].length_ns, 531);
  EXPECT_EQ(seen.pauses[0].lever_work_ns, 500);
}

TEST_F(LeverWorkTest, WhatFollowsLeverWorkDoesNotFollowTheStepBefore) {
  plain_step(7);
  const int64_t before = tracker.step_number();
  try_levers(100);
  next(7, 10);
  EXPECT_GT(tracker.step_number(), before + 1);
}

}  // namespace
}  // namespace stoker::telemetry
