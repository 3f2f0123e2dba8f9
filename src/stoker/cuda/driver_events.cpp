// SPDX-License-Identifier: Apache-2.0
#include "stoker/cuda/driver_events.h"

#include <fmt/format.h>

namespace stoker::cuda {
namespace {

// Makes a device's context current, where another one is, or none.
class InContext {
 public:
  InContext(const Driver& driver, Context context) : driver_(driver) {
    Context current = nullptr;
    result_ = driver.context_current(&current);
    if (result_ == kSuccess && current != context) {
      result_ = driver.context_push(context);
      pushed_ = result_ == kSuccess;
    }
  }
  ~InContext() {
    Context popped = nullptr;
    if (pushed_) {
      (void)driver_.context_pop(&popped);
    }
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

  DriverResult result() const { return result_; }

 private:
  const Driver& driver_;
  DriverResult result_;
  bool pushed_ = false;
};

// A query would break a capture that another thread makes, unless this thread says that it is none
// of its business.
class Relaxed {
 public:
  explicit Relaxed(const Driver& driver) : driver_(driver) {
    exchanged_ = driver.exchange_capture_mode(&mode_) == kSuccess;
  }
  ~Relaxed() {
    if (exchanged_) {
      (void)driver_.exchange_capture_mode(&mode_);
    }
  }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  const Driver& driver_;
  int mode_ = kCaptureRelaxed;
  bool exchanged_;
};

class DriverEvents final : public EventSource {
 public:
  DriverEvents(const Driver& driver, Context context) : driver_(driver), context_(context) {}

  Result<EventHandle> create() override {
    const InContext in(driver_, context_);
    if (in.result() != kSuccess) {
      return driver_error("current context", in.result());
    }
    EventHandle event = nullptr;
    const DriverResult result = driver_.event_create(&event, 0);
    if (result != kSuccess) {
      return driver_error("cuEventCreate", result);
    }
    return event;
  }

  Status record(EventHandle event, StreamHandle stream) override {
    const InContext in(driver_, context_);
    if (in.result() != kSuccess) {
      return driver_error("current context", in.result());
    }
    const DriverResult result = driver_.event_record(event, stream);
    return result == kSuccess ? Status() : driver_error("cuEventRecord", result);
  }

  Result<bool> query(EventHandle event) override {
    const Relaxed relaxed(driver_);
    const DriverResult result = driver_.event_query(event);
    if (result != kSuccess && result != kNotReady) {
      return driver_error("cuEventQuery", result);
    }
    return result == kSuccess;
  }

  Result<double> elapsed_ms(EventHandle begin, EventHandle end) override {
    float ms = 0;
    const Relaxed relaxed(driver_);
    const DriverResult result = driver_.event_elapsed(&ms, begin, end);
    if (result != kSuccess) {
      return driver_error("cuEventElapsedTime", result);
    }
    return static_cast<double>(ms);
  }

  Result<bool> capturing(StreamHandle stream) override {
    const InContext in(driver_, context_);
    if (in.result() != kSuccess) {
      return driver_error("current context", in.result());
    }
    int status = 0;
    const DriverResult result = driver_.stream_capturing(stream, &status);
    if (result == kCaptureImplicit) {
      return true;  // of a stream that the default stream would wait for
    }
    if (result != kSuccess) {
      return driver_error("cuStreamIsCapturing", result);
    }
    return status != 0;
  }

 private:
  Driver driver_;
  Context context_;
};

}  // namespace

Result<std::unique_ptr<EventSource>> driver_events(const Driver& driver, int device) {
  int number = 0;
  DriverResult result = driver.device_get(&number, device);
  if (result != kSuccess) {
    return driver_error("cuDeviceGet", result);
  }
  unsigned flags = 0;
  int active = 0;
  result = driver.primary_state(number, &flags, &active);
  if (result != kSuccess) {
    return driver_error("cuDevicePrimaryCtxGetState", result);
  }
  if (active == 0) {
    return Status(ErrorCode::NotFound, fmt::format("CUDA device {} is not in use", device));
  }
  Context context = nullptr;
  result = driver.primary_retain(&context, number);
  if (result != kSuccess) {
    return driver_error("cuDevicePrimaryCtxRetain", result);
  }
  return std::unique_ptr<EventSource>(std::make_unique<DriverEvents>(driver, context));
}

}  // namespace stoker::cuda
