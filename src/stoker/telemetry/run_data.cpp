// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/run_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stoker::telemetry {

Spread Spread::of(const layout::Series& series) {
  Spread spread;
  spread.sum_ns_ = series.sum_ns.load(std::memory_order_relaxed);
  for (size_t i = 0; i < kBucketCount; ++i) {
    spread.buckets_[i] = series.buckets[i].load(std::memory_order_relaxed);
    spread.count_ += spread.buckets_[i];
  }
  return spread;
}

void Spread::merge(const Spread& other) {
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
  for (size_t i = 0; i < kBucketCount; ++i) {
    buckets_[i] += other.buckets_[i];
  }
}

double Spread::mean_ms() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_ns_) / static_cast<double>(count_) / 1e6;
}

double Spread::percentile_ms(double q) const {
  if (count_ == 0) {
    return 0.0;
  }
  const double rank = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
  const int64_t wanted = std::max<int64_t>(1, static_cast<int64_t>(rank));
  int64_t below = 0;
  size_t bucket = 0;
  while (bucket + 1 < kBucketCount && below + buckets_[bucket] < wanted) {
    below += buckets_[bucket++];
  }
  return bucket_middle_ns(bucket) / 1e6;
}

void LoaderWork::merge(const LoaderWork& other) {
  processes += other.processes;
  batches += other.batches;
  samples += other.samples;
  for (size_t i = 0; i < stage_ns.size(); ++i) {
    stage_ns[i] += other.stage_ns[i];
  }
  for (size_t i = 0; i < counters.size(); ++i) {
    counters[i] += other.counters[i];
  }
}

int64_t LoaderWork::total_ns() const {
  return std::accumulate(stage_ns.begin(), stage_ns.end(), int64_t{0});
}

void RunData::add_fault(const std::string& where, const std::string& error) {
  const auto same = [&](const Fault& f) { return f.where == where && f.error == error; };
  const auto found = std::find_if(faults.begin(), faults.end(), same);
  if (found != faults.end()) {
    ++found->count;
  } else {
    faults.push_back({.where = where, .error = error});
  }
}

}  // namespace stoker::telemetry
