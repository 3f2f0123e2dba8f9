// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "stoker/pipeline/loader.h"

namespace stoker::pipeline {

// A batch that was lent and is not whole yet.
struct Batch {
  int64_t number = 0;  // in its epoch
  int64_t rows = 0, left = 0;
  bool read_ahead = false;
  uint64_t first_ticket = 0;  // of row 0 in the read-ahead; the other rows follow
  uint8_t* images = nullptr;
  int64_t* labels = nullptr;
  int64_t* samples = nullptr;
  bool cancelled = false;  // its memory must not be touched any more
  FinishedBatch result;
};

// One row to make; `attempt` counts the bad samples that it has met.
struct Task {
  std::shared_ptr<Batch> batch;
  int64_t row = 0;
  int64_t attempt = 0;
};

// The lent batches in order and the rows of them that nobody has begun. Not thread-safe: its owner
// holds a lock.
class BatchQueue {
 public:
  void add(std::shared_ptr<Batch> batch) { batches_.push_back(std::move(batch)); }
  // A row that has to be made again comes before all others.
  void again(Task task) { again_.push_back(std::move(task)); }
  bool has_task() const { return !again_.empty() || begun_ < batches_.size(); }
  Task take();
  // The oldest batch, when it is whole; removes it.
  std::shared_ptr<Batch> take_whole();
  void cancel_all();

 private:
  std::deque<std::shared_ptr<Batch>> batches_;
  std::deque<Task> again_;
  size_t begun_ = 0;  // batches whose rows have all been taken
  int64_t next_row_ = 0;
};

}  // namespace stoker::pipeline
