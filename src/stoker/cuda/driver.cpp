// SPDX-License-Identifier: Apache-2.0
#include "stoker/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

namespace stoker::cuda {
namespace {

class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <class Function>
  void find(Function& function, const char* name) {
    if (!try_find(function, name) && missing_.empty()) {
      missing_ = name;
    }
  }
  template <class Function>
  bool try_find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

Result<Driver> open_driver(const char* library) {
  void* opened = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
  if (opened == nullptr) {
    opened = dlopen(library, RTLD_NOW);
  }
  if (opened == nullptr) {
    const char* reason = dlerror();
    return Status(ErrorCode::NotFound, reason == nullptr ? library : reason);
  }
  Symbols symbols(opened);
  Driver driver;
  symbols.find(driver.event_create, "cuEventCreate");
  symbols.find(driver.event_record, "cuEventRecord");
  symbols.find(driver.event_query, "cuEventQuery");
  if (!symbols.try_find(driver.event_elapsed, "cuEventElapsedTime_v2")) {
    symbols.find(driver.event_elapsed, "cuEventElapsedTime");
  }
  symbols.find(driver.stream_capturing, "cuStreamIsCapturing");
  symbols.find(driver.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
  symbols.find(driver.context_current, "cuCtxGetCurrent");
  symbols.find(driver.context_push, "cuCtxPushCurrent_v2");
  symbols.find(driver.context_pop, "cuCtxPopCurrent_v2");
  symbols.find(driver.device_get, "cuDeviceGet");
  symbols.find(driver.primary_state, "cuDevicePrimaryCtxGetState");
  symbols.find(driver.primary_retain, "cuDevicePrimaryCtxRetain");
  if (!symbols.missing().empty()) {
    return Status(ErrorCode::NotFound, fmt::format("{} has no {}", library, symbols.missing()));
  }
  return driver;
}

Status driver_error(const char* call, DriverResult result) {
  // From "illegal address" to "launch failed".
  const bool kernel_failed = result >= 700 && result < 720;
  return {kernel_failed ? ErrorCode::Corrupt : ErrorCode::IoError,
          fmt::format("{}: CUDA error {}", call, result)};
}

}  // namespace stoker::cuda
