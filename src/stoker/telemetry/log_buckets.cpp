// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/log_buckets.h"

#include <algorithm>
#include <cmath>

namespace stoker::telemetry {
namespace {

constexpr double kFirstNs = 1000.0;
constexpr double kLogWidth = 0.00995033085316808;  // ln 1.01

}  // namespace

size_t bucket_of(int64_t ns) {
  if (static_cast<double>(ns) < kFirstNs) {
    return 0;
  }
  const double position = std::log(static_cast<double>(ns) / kFirstNs) / kLogWidth;
  return std::min(kBucketCount - 1, static_cast<size_t>(position) + 1);
}

double bucket_middle_ns(size_t bucket) {
  if (bucket == 0) {
    return 0.0;
  }
  return kFirstNs * std::exp((static_cast<double>(bucket) - 0.5) * kLogWidth);
}

}  // namespace stoker::telemetry
