// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stoker/core/status.h"

namespace stoker::telemetry {

// Parts of a step. The names in run.json are these in snake case (phase_name()).
enum class Phase : uint8_t { DataWait, Transfer, Forward, Backward, Optimizer, Sync, Residual };
inline constexpr int kPhaseCount = 7;

// Work of whoever makes the batches: a DataLoader worker, or the main process without workers.
enum class Stage : uint8_t { Read, Decode, Transform, Collate };
inline constexpr int kStageCount = 4;

enum class Counter : uint8_t {
  ImagesNative,    // images whose pixels came from the native decoder
  ImagesCompared,  // of those, compared with Pillow
  ImagesDiffer,    // of those, not equal (then Pillow's pixels were used)
  ImagesPillow,    // images that were left to Pillow
  BytesDiffer,     // differing bytes, summed
};
inline constexpr int kCounterCount = 5;

enum class Role : uint8_t { Main, Worker };

struct ProcessInfo {
  int32_t pid = 0;
  Role role = Role::Main;
  int32_t rank = 0;
  int32_t world_size = 1;
};

// Writes what one process sees into one mapped file of fixed size; `stoker run` reads it, while it
// grows and after the process has gone, however it went. One writer: calls come from one thread at
// a time (Python holds its lock). Times are CLOCK_MONOTONIC in ns and never go back.
//
// A step goes from border to border. A border is where the next batch is asked for after an
// optimizer has stepped, or, without a loader in between, where the same optimizer has stepped
// again. What happens on another loader without an optimizer step (a validation pass, say) is a
// pause and no part of a step.
class Recorder {
 public:
  // Reserves the whole file before mapping it, so that a full disk is a Status and not a SIGBUS.
  static Result<std::unique_ptr<Recorder>> create(const std::string& path, const ProcessInfo& info);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Levers are tried: the time belongs to no step. Requires: no other event comes in between.
  void lever_work_begin(int64_t now_ns);
  void lever_work_end(int64_t now_ns);
  // A loader makes its iterator (workers start) ...
  void loader_start_begin(int64_t now_ns);
  void loader_start_end(int64_t now_ns);
  // ... and is asked for a batch. `loader` tells iterators apart; `samples` is 0 when unknown, and
  // -1 when the iterator ended.
  void next_begin(uint64_t loader, int64_t now_ns);
  void next_end(uint64_t loader, int64_t samples, int64_t now_ns);
  // The first outermost call of the model in a step; forward lasts until backward begins.
  void forward_begin(int64_t now_ns);
  void backward_begin(int64_t now_ns);
  void backward_end(int64_t now_ns);
  void optimizer_begin(uint64_t optimizer, int64_t now_ns);
  void optimizer_end(uint64_t optimizer, int64_t now_ns);
  // Changes whenever a step begins, is given up (a validation pass) or has lever work inside, so
  // that device events can be kept by the step that they belong to.
  [[nodiscard]] int64_t step_number() const;
  // Device time of a finished step, resolved late. `exposed_stall_ns` is the GPU's gap before the
  // step, capped by the step's data wait.
  void device_step(int64_t forward_ns, int64_t backward_ns, int64_t optimizer_ns,
                   int64_t exposed_stall_ns, int64_t step_ns);

  void add_stage(Stage stage, int64_t ns);
  void add_batch(int64_t samples);  // a batch was made by this process
  void add(Counter counter, int64_t amount);
  // What one step of watching costs, in us, as measured by the hooks themselves.
  void set_overhead_us_per_step(double us);

 private:
  struct Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

const char* phase_name(Phase phase);
const char* stage_name(Stage stage);

}  // namespace stoker::telemetry
