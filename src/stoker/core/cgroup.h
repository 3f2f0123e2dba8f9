// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "stoker/core/system_view.h"

namespace stoker {

// Limits of the control group that this process is in, the tightest on the way up to the root;
// versions 1 and 2.
struct CgroupLimits {
  std::optional<double> cpus;
  std::optional<int64_t> memory_bytes;
};

CgroupLimits cgroup_limits(const SystemView& view);

}  // namespace stoker
