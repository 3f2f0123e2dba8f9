// SPDX-License-Identifier: Apache-2.0
#include "stoker/cuda/driver_events.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace stoker::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ContextObject* const kOurs = reinterpret_cast<ContextObject*>(0x10);    // NOLINT
ContextObject* const kTheirs = reinterpret_cast<ContextObject*>(0x20);  // NOLINT
EventObject* const kEvent = reinterpret_cast<EventObject*>(0x30);       // NOLINT

// A driver whose functions say that they were called.
struct FakeDriver {
  Context current = nullptr;
  int active = 1;
  DriverResult result = kSuccess;
  int capture_status = 0;
  int mode = 0;
  std::vector<std::string> calls = {};
};
FakeDriver fake;

Driver fake_driver() {
  fake = {};
  Driver driver;
  driver.event_create = [](EventHandle* event, unsigned) {
    fake.calls.emplace_back("create");
    *event = kEvent;
    return fake.result;
  };
  driver.event_record = [](EventHandle, StreamHandle stream) {
    fake.calls.push_back("record on " + std::to_string(stream));
    return fake.current == kOurs ? fake.result : 1;
  };
  driver.event_query = [](EventHandle) {
    return fake.mode == kCaptureRelaxed ? fake.result : kCaptureImplicit;
  };
  driver.event_elapsed = [](float* ms, EventHandle, EventHandle) {
    *ms = 1.5F;
    return fake.result;
  };
  driver.stream_capturing = [](StreamHandle, int* status) {
    *status = fake.capture_status;
    return fake.result;
  };
  driver.exchange_capture_mode = [](int* mode) {
    std::swap(*mode, fake.mode);
    return kSuccess;
  };
  driver.context_current = [](Context* context) {
    *context = fake.current;
    return kSuccess;
  };
  driver.context_push = [](Context context) {
    fake.calls.emplace_back("push");
    fake.current = context;
    return kSuccess;
  };
  driver.context_pop = [](Context* context) {
    fake.calls.emplace_back("pop");
    *context = fake.current;
    fake.current = kTheirs;
    return kSuccess;
  };
  driver.device_get = [](int* device, int ordinal) {
    *device = ordinal;
    return ordinal < 2 ? kSuccess : 101;
  };
  driver.primary_state = [](int, unsigned*, int* active) {
    *active = fake.active;
    return kSuccess;
  };
  driver.primary_retain = [](Context* context, int) {
    fake.calls.emplace_back("retain");
    *context = kOurs;
    return kSuccess;
  };
  return driver;
}

TEST(DriverEventsTest, WhereTheDeviceIsCurrentNothingIsSwitched) {
  const auto events = driver_events(fake_driver(), 0);
  fake.current = kOurs;
  ASSERT_TRUE(events.ok());
  EXPECT_EQ(*(*events)->create(), kEvent);
  EXPECT_TRUE((*events)->record(kEvent, 5).ok());
  EXPECT_THAT(fake.calls, ElementsAre("retain", "create", "record on 5"));
}

TEST(DriverEventsTest, AnotherDeviceThatIsCurrentStaysSo) {
  const auto events = driver_events(fake_driver(), 1);
  fake.current = kTheirs;
  EXPECT_TRUE((*events)->record(kEvent, 0).ok());
  EXPECT_THAT(fake.calls, ElementsAre("retain", "push", "record on 0", "pop"));
  EXPECT_EQ(fake.current, kTheirs);
}

TEST(DriverEventsTest, ADeviceThatIsNotInUseIsLeftAlone) {
  const Driver driver = fake_driver();
  fake.active = 0;
  EXPECT_EQ(driver_events(driver, 1).status().message(), "CUDA device 1 is not in use");
  EXPECT_EQ(driver_events(driver, 9).status().message(), "cuDeviceGet: CUDA error 101");
  EXPECT_THAT(fake.calls, IsEmpty());
}

TEST(DriverEventsTest, QueriesDisturbNoCaptureOfAnotherThread) {
  const auto events = driver_events(fake_driver(), 0);
  EXPECT_TRUE(*(*events)->query(kEvent));
  fake.result = kNotReady;
  EXPECT_FALSE(*(*events)->query(kEvent));
  EXPECT_EQ(fake.mode, 0);
  fake.result = 1;
  EXPECT_EQ((*events)->query(kEvent).status().message(), "cuEventQuery: CUDA error 1");
  EXPECT_EQ((*events)->query(kEvent).status().code(), ErrorCode::IoError);
}

TEST(DriverEventsTest, AKernelThatFailedIsNotTheCallsFault) {
  const auto events = driver_events(fake_driver(), 0);
  fake.current = kOurs;
  fake.result = 710;  // an assertion in a kernel
  EXPECT_EQ((*events)->record(kEvent, 0).code(), ErrorCode::Corrupt);
  EXPECT_EQ((*events)->record(kEvent, 0).message(), "cuEventRecord: CUDA error 710");
}

TEST(DriverEventsTest, Capturing) {
  const auto events = driver_events(fake_driver(), 0);
  fake.current = kOurs;
  EXPECT_FALSE(*(*events)->capturing(0));
  fake.capture_status = 1;
  EXPECT_TRUE(*(*events)->capturing(0));
  fake.result = kCaptureImplicit;
  EXPECT_TRUE(*(*events)->capturing(0));
  fake.result = 1;
  EXPECT_FALSE((*events)->capturing(0).ok());
}

TEST(DriverEventsTest, Elapsed) {
  const auto events = driver_events(fake_driver(), 0);
  EXPECT_DOUBLE_EQ(*(*events)->elapsed_ms(kEvent, kEvent), 1.5);
}

TEST(DriverTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(open_driver("no-such-driver.so.1").status().message(),
              HasSubstr("no-such-driver.so.1"));
  EXPECT_EQ(open_driver("libc.so.6").status().message(), "libc.so.6 has no cuEventCreate");
}

}  // namespace
}  // namespace stoker::cuda
