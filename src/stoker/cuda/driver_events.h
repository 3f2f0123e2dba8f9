// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "stoker/core/status.h"
#include "stoker/cuda/driver.h"
#include "stoker/cuda/event_source.h"

namespace stoker::cuda {

// Events of a device that is in use already, by torch's number. Calls may come from any thread,
// whichever device is current there.
Result<std::unique_ptr<EventSource>> driver_events(const Driver& driver, int device);

}  // namespace stoker::cuda
