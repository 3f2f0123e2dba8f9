// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stoker/io/source.h"
#include "stoker/pipeline/chain.h"
#include "stoker/pipeline/epoch_plan.h"
#include "stoker/pipeline/output.h"

namespace stoker::pipeline {

// What becomes of a sample that cannot be read or decoded.
enum class OnError : uint8_t {
  Raise,    // the batch reports it, and its row is not written
  Skip,     // likewise; the caller leaves the row out
  Replace,  // by the next good sample of the epoch's order
};

struct LoaderOptions {
  EpochOptions epoch = {};  // `samples` is taken from the source
  int32_t threads = 0;      // 0: as many as the measured stall asks for, up to the usable CPUs
  OnError on_error = OnError::Raise;
  Dtype dtype = Dtype::Float32;
  Layout layout = Layout::Nchw;
  image::PassOrder order = image::PassOrder::ByCost;
  // Files that are not surely decoded exactly go to whoever calls wait_handover(); without one
  // they are errors.
  bool hand_over = false;
};

struct SampleError {
  int64_t row = 0;     // in its batch
  int64_t sample = 0;  // in its source
  std::string name;
  Status status;
};

struct FinishedBatch {
  int64_t rows = 0;
  std::vector<SampleError> errors;
  // Rows that were not written: those of all errors, but with Replace only where no sample is good.
  std::vector<int64_t> missing;
};

// A file that the native decoders leave to a reference decoder.
struct Handover {
  uint64_t id = 0;
  int64_t sample = 0;
  std::string name;
  std::vector<uint8_t> bytes;
  size_t waiting = 0;  // so many more wait behind it
};

struct LoaderStats {
  int64_t samples = 0, batches = 0, errors = 0, handed_over = 0;
  int64_t indexed = 0;                                                 // read with an index entry
  int64_t read_ns = 0, decode_ns = 0, transform_ns = 0, write_ns = 0;  // of all threads together
  int64_t waited_ns = 0;                                               // by next()
  int64_t elapsed_ns = 0;  // from the first batch that was lent to the last that was given back
  int32_t threads = 0, threads_most = 0;  // that work now, and that may
  int64_t bytes_read = 0;
  bool reads_ahead = false;  // files are read by threads of their own, since reading is slow
  std::map<std::string, int64_t> handed_over_reasons;
};

// Batches of finished samples, made by threads of its own in memory that the caller lends. Which
// sample lies where, and every byte of it, depends on the options, the epoch and the position
// alone: never on threads or time.
//
// begin_epoch(), lend() and next() belong to one thread; handovers may come from others; stats()
// and close() from any. Lent memory must stay until next() has given the batch back, or until
// begin_epoch(), close() or the destructor has returned.
class Loader {
 public:
  // Throws Error with a hint for set-up that makes no sense.
  Loader(std::shared_ptr<const io::Source> source, const std::vector<TransformSpec>& transforms,
         const LoaderOptions& options);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Forgets batches that were lent and starts at `position` of an epoch, see EpochPlan.
  void begin_epoch(uint32_t epoch, int64_t position);
  const EpochPlan& plan() const;

  int32_t out_width() const;
  int32_t out_height() const;

  // Lends memory for the next batch of the epoch, of plan().batch_samples() rows; labels and
  // samples (their numbers in the source) get one int64 a row. Requires: a batch that was not lent.
  void lend(void* images, int64_t* labels, int64_t* samples);
  // The oldest lent batch once it is whole; nothing when that takes longer than `timeout_ms`.
  std::optional<FinishedBatch> next(int64_t timeout_ms);

  // Waits for a file for the reference decoder; nothing after `timeout_ms` or close().
  std::optional<Handover> wait_handover(int64_t timeout_ms);
  // Its pixels, packed RGB; or why there are none.
  void finish_handover(uint64_t id, const ImageView& pixels);
  void fail_handover(uint64_t id, Status status);

  LoaderStats stats() const;
  bool closed() const;
  // Ends the threads; waits for the samples that they are at. Idempotent.
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stoker::pipeline
