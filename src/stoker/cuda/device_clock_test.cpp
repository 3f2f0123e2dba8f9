// SPDX-License-Identifier: Apache-2.0
#include "stoker/cuda/device_clock.h"

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <vector>

namespace stoker::cuda {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kLongWait = 1000 * kMs;

// A device that is only a clock.
struct FakeGpu {
  double now_ms = 0;
  double done_ms = 1e9;  // what was recorded up to here has passed
  bool graph = false;
  bool broken = false;
  uintptr_t made = 0;
  int queries = 0;
  std::map<EventHandle, double> at_ms = {};
};

class FakeEvents final : public EventSource {
 public:
  explicit FakeEvents(FakeGpu* gpu) : gpu_(gpu) {}

  Result<EventHandle> create() override {
    return reinterpret_cast<EventHandle>(++gpu_->made);  // NOLINT(performance-no-int-to-ptr)
  }
  Status record(EventHandle event, StreamHandle /*stream*/) override {
    if (gpu_->broken) {
      return {ErrorCode::IoError, "broken"};
    }
    gpu_->at_ms[event] = gpu_->now_ms;
    return {};
  }
  Result<bool> query(EventHandle event) override {
    EXPECT_FALSE(gpu_->graph);  // it would break the capture
    ++gpu_->queries;
    return gpu_->at_ms[event] <= gpu_->done_ms;
  }
  Result<double> elapsed_ms(EventHandle begin, EventHandle end) override {
    EXPECT_LE(gpu_->at_ms[end], gpu_->done_ms);
    return gpu_->at_ms[end] - gpu_->at_ms[begin];
  }
  Result<bool> capturing(StreamHandle /*stream*/) override { return gpu_->graph; }

 private:
  FakeGpu* gpu_;
};

class DeviceClockTest : public testing::Test {
 protected:
  Status mark(double ms, DeviceMark name, StreamHandle stream = 7) {
    gpu.now_ms += ms;
    return clock.mark(number, name, stream);
  }

  // 42 ms: 5 until the batch comes, 1 until forward, then 10, 20, 2 and 4.
  void train_step(int64_t wait_ns = kLongWait) {
    ++number;
    gpu.now_ms += 5;
    EXPECT_TRUE(clock.got(number, wait_ns, 7).ok());
    EXPECT_TRUE(mark(1, DeviceMark::Forward).ok());
    EXPECT_TRUE(mark(10, DeviceMark::Backward).ok());
    EXPECT_TRUE(mark(20, DeviceMark::AfterBackward).ok());
    EXPECT_TRUE(mark(2, DeviceMark::Optimizer).ok());
    EXPECT_TRUE(mark(4, DeviceMark::End).ok());
  }

  void train(int steps) {
    for (int i = 0; i < steps; ++i) {
      train_step();
    }
  }

  FakeGpu gpu;
  int64_t number = 0;
  std::vector<DeviceStep> found;
  DeviceClock clock{std::make_unique<FakeEvents>(&gpu),
                    [this](const DeviceStep& step) { found.push_back(step); },
                    /*measured_first=*/1000};
};

TEST(DeviceClockSampling, MeasuresTheFirstStepsAndThenOneInFour) {
  FakeGpu gpu;
  std::vector<DeviceStep> found;
  DeviceClock clock(std::make_unique<FakeEvents>(&gpu),
                    [&found](const DeviceStep& step) { found.push_back(step); });
  int wanted = 0;
  for (int64_t step = 1; step <= 1008; ++step) {
    for (int mark = 0; mark < kDeviceMarkCount; ++mark) {
      gpu.now_ms += 2;
      wanted += clock.wants(step, static_cast<DeviceMark>(mark)) ? 1 : 0;
      EXPECT_TRUE(clock.mark(step, static_cast<DeviceMark>(mark), 7).ok());
    }
  }
  // 8 steps and 250 of 1,000, less the first, which has none before it, and the newest.
  EXPECT_THAT(found, SizeIs(testing::AllOf(testing::Ge(254U), testing::Le(257U))));
  for (const DeviceStep& step : found) {
    EXPECT_EQ(step.forward_ns, 2 * kMs);
    EXPECT_EQ(step.step_ns, 12 * kMs);
  }
  // Six marks of a measured step, and the end of the one before it.
  EXPECT_GE(wanted, 258 * 6 + 200);
  EXPECT_LE(wanted, 258 * 6 + 250);
}

TEST_F(DeviceClockTest, PartsOfAStepAndTheGapBeforeIt) {
  train(6);
  // The first has nothing before it, and the last three are still to be read.
  ASSERT_THAT(found, SizeIs(2));
  for (const DeviceStep& step : found) {
    EXPECT_EQ(step.forward_ns, 10 * kMs);
    EXPECT_EQ(step.backward_ns, 20 * kMs);
    EXPECT_EQ(step.optimizer_ns, 4 * kMs);
    EXPECT_EQ(step.exposed_stall_ns, 5 * kMs);
    EXPECT_EQ(step.step_ns, 42 * kMs);
  }
}

TEST_F(DeviceClockTest, EventsAreUsedAgain) {
  train(50);
  EXPECT_LE(gpu.made, 6U * 6U);
}

TEST_F(DeviceClockTest, OneQueryAStep) {
  train(50);
  EXPECT_EQ(gpu.queries, 47);
}

TEST_F(DeviceClockTest, AGapIsNoLongerThanTheWaitForData) {
  for (int i = 0; i < 6; ++i) {
    train_step(3 * kMs);
  }
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].exposed_stall_ns, 3 * kMs);
  EXPECT_EQ(found[1].exposed_stall_ns, 3 * kMs);
}

TEST_F(DeviceClockTest, ADeviceThatIsBehindIsNotWaitedFor) {
  gpu.done_ms = 2 * 42;
  train(10);
  EXPECT_THAT(found, SizeIs(1));
  gpu.done_ms = 1e9;
  train(1);
  EXPECT_THAT(found, SizeIs(7));  // steps 2 to 8 of 11
}

TEST_F(DeviceClockTest, ADeviceThatIsFarBehindLosesSteps) {
  gpu.done_ms = 0;
  train(100);
  EXPECT_LE(gpu.made, 6U * 66U);
  gpu.done_ms = 1e9;
  train(1);
  // Of 101, the last three are still to be read, 35 were dropped and the next has none before it.
  EXPECT_THAT(found, SizeIs(62));
  for (const DeviceStep& step : found) {
    EXPECT_EQ(step.step_ns, 42 * kMs);
  }
}

TEST_F(DeviceClockTest, StepsWithAGraphCaptureAreLeftOut) {
  for (int step = 0; step < 8; ++step) {
    gpu.graph = step == 2;
    train_step();
  }
  // Steps 1 and 4: 2 was captured, 3 has no whole step before it, 5 to 7 are still to be read.
  EXPECT_THAT(found, SizeIs(2));
}

TEST_F(DeviceClockTest, APauseBelongsToNoStep) {
  train(4);
  ++number;
  clock.pause(number);
  gpu.now_ms += 500;
  train(6);
  for (const DeviceStep& step : found) {
    EXPECT_EQ(step.step_ns, 42 * kMs);
  }
  EXPECT_THAT(found, SizeIs(3 + 2));
}

TEST_F(DeviceClockTest, AValidationPassBelongsToNoStep) {
  train(4);
  ++number;
  EXPECT_TRUE(mark(5, DeviceMark::Got).ok());
  EXPECT_TRUE(mark(300, DeviceMark::Got).ok());
  train(6);
  for (const DeviceStep& step : found) {
    EXPECT_EQ(step.step_ns, 42 * kMs);
  }
  EXPECT_THAT(found, SizeIs(3 + 2));
}

TEST_F(DeviceClockTest, WorkBetweenTwoOptimizersIsNeithers) {
  for (int i = 0; i < 5; ++i) {
    train_step();
    EXPECT_TRUE(mark(7, DeviceMark::Optimizer).ok());
    EXPECT_TRUE(mark(3, DeviceMark::End).ok());
  }
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].optimizer_ns, 7 * kMs);
  EXPECT_EQ(found[0].step_ns, 52 * kMs);
}

TEST_F(DeviceClockTest, OnSeveralStreamsEveryEventIsAskedFor) {
  for (int i = 0; i < 4; ++i) {
    ++number;
    EXPECT_TRUE(mark(1, DeviceMark::Forward, 8).ok());
    EXPECT_TRUE(mark(1, DeviceMark::Backward, 7).ok());
    EXPECT_TRUE(mark(1, DeviceMark::End, 7).ok());
  }
  EXPECT_EQ(gpu.queries, 3);
}

TEST_F(DeviceClockTest, AnErrorOfTheDriverComesBack) {
  gpu.broken = true;
  const Status status = mark(1, DeviceMark::Forward);
  EXPECT_EQ(status.message(), "broken");
  EXPECT_THAT(found, IsEmpty());
}

}  // namespace
}  // namespace stoker::cuda
