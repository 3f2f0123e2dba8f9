// SPDX-License-Identifier: Apache-2.0
#include "overhead_meter.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace {
constexpr int64_t kFirstSteps = 5;  // that still fill caches
constexpr int64_t kLookEvery = 16;
}  // namespace

bool OverheadMeter::step(int64_t timer_calls) {
  const double total = static_cast<double>(probe_sum_ns_) +
                       static_cast<double>(probe_calls_) * probe_ns_ +
                       static_cast<double>(timer_calls) * timer_ns_;
  const double cost = total - std::exchange(last_ns_, total);
  if (++steps_ <= kFirstSteps) {
    return false;
  }
  const int64_t number = steps_ - kFirstSteps - 1;
  costs_[static_cast<size_t>(number) % costs_.size()] = static_cast<int64_t>(cost);
  return steps_ % kLookEvery == 0;
}

double OverheadMeter::median_us() const {
  auto costs = costs_;
  const int64_t known = std::clamp<int64_t>(steps_ - kFirstSteps, 1, int64_t{costs.size()});
  auto* middle = costs.begin() + known / 2;
  std::nth_element(costs.begin(), middle, costs.begin() + known);
  return static_cast<double>(*middle) / 1000.0;
}
