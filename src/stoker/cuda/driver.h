// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stoker/core/status.h"
#include "stoker/cuda/event_source.h"

namespace stoker::cuda {

using DriverResult = int;  // CUresult
inline constexpr DriverResult kSuccess = 0;
inline constexpr DriverResult kNotReady = 600;
inline constexpr DriverResult kCaptureImplicit = 906;
inline constexpr int kCaptureRelaxed = 2;

struct ContextObject;
using Context = ContextObject*;

// The functions of the CUDA driver that are used here. None of them initialises CUDA.
struct Driver {
  DriverResult (*event_create)(EventHandle* event, unsigned flags) = nullptr;
  DriverResult (*event_record)(EventHandle event, StreamHandle stream) = nullptr;
  DriverResult (*event_query)(EventHandle event) = nullptr;
  DriverResult (*event_elapsed)(float* ms, EventHandle begin, EventHandle end) = nullptr;
  DriverResult (*stream_capturing)(StreamHandle stream, int* status) = nullptr;
  DriverResult (*exchange_capture_mode)(int* mode) = nullptr;
  DriverResult (*context_current)(Context* context) = nullptr;
  DriverResult (*context_push)(Context context) = nullptr;
  DriverResult (*context_pop)(Context* context) = nullptr;
  DriverResult (*device_get)(int* device, int ordinal) = nullptr;
  DriverResult (*primary_state)(int device, unsigned* flags, int* active) = nullptr;
  DriverResult (*primary_retain)(Context* context, int device) = nullptr;
};

// The library stays open until the process ends. Errors: NotFound, with what is missing.
Result<Driver> open_driver(const char* library = "libcuda.so.1");

// "cuEventRecord: CUDA error 1". Code Corrupt where a kernel that was launched earlier has failed:
// not this call is at fault, and all calls will fail.
Status driver_error(const char* call, DriverResult result);

}  // namespace stoker::cuda
