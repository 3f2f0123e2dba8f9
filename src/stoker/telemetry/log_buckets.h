// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace stoker::telemetry {

// Buckets 1 % wide from 1 us to 1000 s, so that a percentile read from their counts is right
// within 1 %. Bucket 0 holds everything shorter, the last one everything longer.
inline constexpr size_t kBucketCount = 2085;

size_t bucket_of(int64_t ns);
// The middle of a bucket in ns; 0 for bucket 0.
double bucket_middle_ns(size_t bucket);

}  // namespace stoker::telemetry
