// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "stoker/telemetry/log_buckets.h"
#include "stoker/telemetry/recorder.h"

// The mapped file of one process. One writer; every field is an atomic of its own, so that a reader
// in another process sees whole values at any time. Fields of the same step may be one step apart
// for a reader that looks while the writer writes.
namespace stoker::telemetry::layout {

inline constexpr std::array<char, 8> kMagic = {'s', 't', 'o', 'k', 'e', 'r', 'r', 'c'};
inline constexpr uint32_t kVersion = 2;
inline constexpr int64_t kWarmupSteps = 5;  // kept out of all statistics
inline constexpr size_t kStepRing = 8192;
inline constexpr size_t kPauseRing = 256;
inline constexpr size_t kPageBytes = 4096;

template <class T>
using Cell = std::atomic<T>;
static_assert(Cell<int64_t>::is_always_lock_free && Cell<double>::is_always_lock_free);

// Of one writer, so no read-modify-write is needed.
inline void bump(Cell<int64_t>& cell, int64_t amount) {
  cell.store(cell.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

// Sum, number and spread of one kind of time.
struct Series {
  Cell<int64_t> count{0};
  Cell<int64_t> sum_ns{0};
  std::array<Cell<uint32_t>, kBucketCount> buckets{};

  void add(int64_t ns) {
    bump(count, 1);
    bump(sum_ns, ns);
    Cell<uint32_t>& bucket = buckets[bucket_of(ns)];
    bucket.store(bucket.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

// Both roles: one page.
struct Common {
  std::array<char, 8> magic{};
  uint32_t version = 0;
  int32_t pid = 0;
  int32_t role = 0;
  int32_t rank = 0;
  int32_t world_size = 0;
  uint32_t bytes = 0;
  int64_t created_wall_ns = 0;       // CLOCK_REALTIME
  int64_t created_monotonic_ns = 0;  // CLOCK_MONOTONIC at the same moment
  Cell<uint32_t> ready{0};           // 1 once all of the above is written

  Cell<int64_t> batches{0};
  Cell<int64_t> batch_samples{0};
  std::array<Cell<int64_t>, kStageCount> stage_ns{};
  std::array<Cell<int64_t>, kStageCount> stage_count{};
  std::array<Cell<int64_t>, kCounterCount> counters{};
};
static_assert(sizeof(Common) <= kPageBytes);

struct Step {
  Cell<int64_t> start_ns{0};
  std::array<Cell<int64_t>, kPhaseCount> phase_ns{};
};

struct Pause {
  Cell<int64_t> start_ns{0};
  Cell<int64_t> length_ns{0};
  Cell<int64_t> worker_start_ns{0};
  Cell<int64_t> lever_work_ns{0};
  Cell<int64_t> batches{0};
};

inline constexpr size_t kDeviceSeries = 5;
enum class Device : uint8_t { Forward, Backward, Optimizer, ExposedStall, Step };

// The main process only, from the second page on.
struct Steps {
  Cell<int64_t> steps{0};           // written to the ring, warm-up included
  Cell<int64_t> samples{0};         // of the steps after warm-up
  Cell<int64_t> loader_samples{0};  // of all steps
  Cell<int64_t> first_step_ns{0};
  Cell<int64_t> last_end_ns{0};
  Cell<int64_t> saw{0};            // bits of Saw
  Cell<int64_t> device_steps{0};   // warm-up included
  Cell<double> overhead_us{-1.0};  // below zero: not measured
  Series step;
  std::array<Series, kPhaseCount> phases{};
  std::array<Series, kDeviceSeries> device{};
  Cell<int64_t> pauses{0};
  Cell<int64_t> pause_ns{0};
  Cell<int64_t> pause_worker_start_ns{0};
  Cell<int64_t> pause_lever_work_ns{0};
  std::array<Pause, kPauseRing> pause_ring{};
  std::array<Step, kStepRing> step_ring{};
};

// Which hooks have ever been called, for a report that says what is missing.
enum Saw : int64_t {
  kSawLoader = 1,
  kSawForward = 2,
  kSawBackward = 4,
  kSawOptimizer = 8,
};

inline constexpr size_t kWorkerBytes = kPageBytes;
inline constexpr size_t kMainBytes =
    (kPageBytes + sizeof(Steps) + kPageBytes - 1) / kPageBytes * kPageBytes;

}  // namespace stoker::telemetry::layout
