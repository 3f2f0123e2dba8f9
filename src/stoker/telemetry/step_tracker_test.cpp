// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/step_tracker.h"

#include <gmock/gmock.h>

#include "stoker/telemetry/step_tracker_script.h"

namespace stoker::telemetry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(StepTrackerTest, PlainLoop) {
  for (int i = 0; i < 3; ++i) {
    plain_step(7);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(3));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(seen.steps[i].phase_ns, kPlain);
    EXPECT_EQ(seen.steps[i].length_ns(), 68);
    EXPECT_EQ(seen.steps[i].start_ns, 1000 + static_cast<int64_t>(i) * 68);
    EXPECT_EQ(seen.steps[i].samples, 8);
  }
  EXPECT_THAT(seen.pauses, IsEmpty());
}

TEST_F(StepTrackerTest, AccumulationIsOneStepOfSeveralBatches) {
  for (int i = 0; i < 2; ++i) {
    for (int micro = 0; micro < 4; ++micro) {
      next(7, 10);
      forward(20);
      backward(30);
    }
    optimize(1, 5);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_THAT(seen.steps[1].phase_ns, ElementsAre(40, 0, 80, 120, 5, 0, 0));
  EXPECT_EQ(seen.steps[1].samples, 32);
}

TEST_F(StepTrackerTest, TwoOptimizersAreOneStep) {
  for (int i = 0; i < 3; ++i) {
    next(7, 10);
    for (const uint64_t optimizer : {1U, 2U}) {
      forward(20);
      backward(30);
      optimize(optimizer, 5);
    }
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(3));
  EXPECT_THAT(seen.steps[2].phase_ns, ElementsAre(10, 0, 40, 60, 10, 0, 0));
}

TEST_F(StepTrackerTest, ClosureIsCountedOnceAsTheInnerPhase) {
  for (int i = 0; i < 2; ++i) {
    next(7, 10);
    tracker.optimizer_begin(now);
    for (int evaluation = 0; evaluation < 3; ++evaluation) {
      work(1);
      forward(20);
      backward(30);
      work(2);
    }
    tracker.optimizer_end(1, now);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_THAT(seen.steps[1].phase_ns, ElementsAre(10, 0, 60, 90, 9, 0, 0));
}

TEST_F(StepTrackerTest, ValidationBetweenEpochsIsAPause) {
  start_loader(50);
  plain_step(7);
  plain_step(7);
  const int64_t pause_start = now;
  end_of(7);
  start_loader(40);
  for (int i = 0; i < 3; ++i) {
    next(8, 10);
    forward(20);
  }
  end_of(8);
  start_loader(50);
  const int64_t pause_end = now;
  plain_step(9);
  plain_step(9);
  end_of(9);

  ASSERT_THAT(seen.steps, SizeIs(4));
  for (const StepRecord& step : seen.steps) {
    EXPECT_EQ(step.phase_ns, kPlain);
  }
  ASSERT_THAT(seen.pauses, SizeIs(2));
  EXPECT_EQ(seen.pauses[0].start_ns, 1000);
  EXPECT_EQ(seen.pauses[0].length_ns, 50);
  EXPECT_EQ(seen.pauses[0].worker_start_ns, 50);
  EXPECT_EQ(seen.pauses[0].batches, 0);
  EXPECT_EQ(seen.pauses[1].start_ns, pause_start);
  EXPECT_EQ(seen.pauses[1].length_ns, pause_end - pause_start);
  EXPECT_EQ(seen.pauses[1].worker_start_ns, 90);
  EXPECT_EQ(seen.pauses[1].batches, 3);
}

TEST_F(StepTrackerTest, ValidationInTheMiddleThatStopsEarlyIsAPause) {
  plain_step(7);
  const int64_t pause_start = now;
  start_loader(40);
  for (int i = 0; i < 3; ++i) {
    next(8, 10);
    forward(20);
  }
  const int64_t pause_end = now;
  plain_step(7);
  plain_step(7);
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(3));
  for (const StepRecord& step : seen.steps) {
    EXPECT_EQ(step.phase_ns, kPlain);
  }
  ASSERT_THAT(seen.pauses, SizeIs(1));
  EXPECT_EQ(seen.pauses[0].start_ns, pause_start);
  EXPECT_EQ(seen.pauses[0].length_ns, pause_end - pause_start);
  EXPECT_EQ(seen.pauses[0].batches, 3);
}

// GradScaler leaves out a step whose gradients overflow; the time goes to the step that follows.
TEST_F(StepTrackerTest, SkippedOptimizerMakesTheStepLonger) {
  plain_step(7);
  next(7, 10);
  forward(20);
  backward(30);
  plain_step(7);
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_THAT(seen.steps[1].phase_ns, ElementsAre(20, 0, 40, 60, 5, 0, 3));
}

TEST_F(StepTrackerTest, WithoutLoaderTheSameOptimizerIsTheBorder) {
  for (int i = 0; i < 4; ++i) {
    forward(20);
    backward(30);
    optimize(1, 5);
    work(3);
  }
  ASSERT_THAT(seen.steps, SizeIs(3));
  EXPECT_THAT(seen.steps[0].phase_ns, ElementsAre(0, 0, 20, 30, 5, 0, 3));
}

TEST_F(StepTrackerTest, WithoutLoaderTwoOptimizersAreOneStep) {
  for (int i = 0; i < 4; ++i) {
    for (const uint64_t optimizer : {1U, 2U}) {
      forward(20);
      backward(30);
      optimize(optimizer, 5);
    }
  }
  ASSERT_THAT(seen.steps, SizeIs(3));
  EXPECT_THAT(seen.steps[2].phase_ns, ElementsAre(0, 0, 40, 60, 10, 0, 0));
}

TEST_F(StepTrackerTest, OneBatchTrainedOnAgainAndAgain) {
  next(7, 10);
  for (int i = 0; i < 10; ++i) {
    forward(20);
    backward(30);
    optimize(1, 5);
  }
  EXPECT_THAT(seen.steps, SizeIs(9));
  EXPECT_EQ(seen.steps.back().length_ns(), 55);
}

TEST_F(StepTrackerTest, InferenceHasNoSteps) {
  start_loader(5);
  for (int i = 0; i < 20; ++i) {
    next(7, 10);
    forward(20);
  }
  end_of(7);
  EXPECT_THAT(seen.steps, IsEmpty());
}

TEST_F(StepTrackerTest, TwoLoadersOfOneStep) {
  for (int i = 0; i < 4; ++i) {
    next(7, 10);
    next(8, 15, 100);
    forward(20);
    backward(30);
    optimize(1, 5);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(4));
  EXPECT_THAT(seen.steps[3].phase_ns, ElementsAre(25, 0, 20, 30, 5, 0, 0));
  EXPECT_EQ(seen.steps[3].samples, 8);
  EXPECT_THAT(seen.pauses, IsEmpty());
}

TEST_F(StepTrackerTest, TwoBatchesJoinedForOneStep) {
  for (int i = 0; i < 4; ++i) {
    next(7, 10);
    next(7, 10);
    forward(20);
    backward(30);
    optimize(1, 5);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(4));
  // Until a batch of this loader was trained on, it looked like a validation pass.
  EXPECT_THAT(seen.pauses, SizeIs(1));
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_THAT(seen.steps[i].phase_ns, ElementsAre(20, 0, 20, 30, 5, 0, 0));
  }
}

TEST_F(StepTrackerTest, LeftOverMicroBatchAtTheEndOfAnEpochIsNoStep) {
  plain_step(7);
  next(7, 10);
  forward(20);
  backward(30);
  end_of(7);
  plain_step(8);
  end_of(8);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_EQ(seen.steps[1].phase_ns, kPlain);
  ASSERT_THAT(seen.pauses, SizeIs(1));
  EXPECT_EQ(seen.pauses[0].length_ns, 61);
}

TEST_F(StepTrackerTest, CheckpointThatComputesAgainIsBackward) {
  next(7, 10);
  forward(20);
  tracker.backward_begin(now);
  work(10);
  forward(15);
  work(5);
  tracker.backward_end(now);
  optimize(1, 5);
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(1));
  EXPECT_THAT(seen.steps[0].phase_ns, ElementsAre(10, 0, 20, 30, 5, 0, 0));
}

TEST_F(StepTrackerTest, OptimizersInsideBackward) {
  for (int i = 0; i < 2; ++i) {
    next(7, 10);
    forward(20);
    tracker.backward_begin(now);
    for (uint64_t parameter = 0; parameter < 300; ++parameter) {
      work(2);
      optimize(parameter, 1);
    }
    tracker.backward_end(now);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_THAT(seen.steps[1].phase_ns, ElementsAre(10, 0, 20, 600, 300, 0, 0));
}

TEST_F(StepTrackerTest, LoaderInsideALoaderIsOneWait) {
  for (int i = 0; i < 2; ++i) {
    tracker.next_begin(7, now);
    work(4);
    next(99, 6);
    tracker.next_end(7, 8, now);
    forward(20);
    backward(30);
    optimize(1, 5);
  }
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_THAT(seen.steps[1].phase_ns, ElementsAre(10, 0, 20, 30, 5, 0, 0));
}

TEST_F(StepTrackerTest, ExceptionsThatSkipAnEndHealAtTheNextBatch) {
  plain_step(7);
  next(7, 10);
  forward(20);
  tracker.backward_begin(now);
  work(4);  // out of memory; the script goes on with the next batch
  plain_step(7);
  plain_step(7);
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(3));
  EXPECT_EQ(seen.steps[2].phase_ns, kPlain);
}

TEST_F(StepTrackerTest, AClockThatLagsIsNoNegativeTime) {
  plain_step(7);
  tracker.next_begin(7, now - 20);
  tracker.next_end(7, 8, now - 10);
  forward(20);
  backward(30);
  optimize(1, 5);
  end_of(7);
  ASSERT_THAT(seen.steps, SizeIs(2));
  EXPECT_THAT(seen.steps[1].phase_ns, ElementsAre(0, 0, 20, 30, 5, 0, 3));
  EXPECT_EQ(of(seen.steps[0], Phase::Residual), 0);
}

TEST_F(StepTrackerTest, NumberChangesWithEachStep) {
  EXPECT_EQ(tracker.step_number(), 0);
  next(7, 10);
  const int64_t first = tracker.step_number();
  forward(20);
  backward(30);
  optimize(1, 5);
  EXPECT_EQ(tracker.step_number(), first);
  next(7, 10);
  EXPECT_EQ(tracker.step_number(), first + 1);
}

}  // namespace
}  // namespace stoker::telemetry
