// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "stoker/io/read_ahead.h"
#include "stoker/pipeline/batch.h"
#include "stoker/pipeline/loader.h"
#include "stoker/pipeline/sample_maker.h"
#include "stoker/pipeline/thread_limit.h"

namespace stoker::pipeline {

// All members below the mutex are guarded by it.
struct Loader::Impl {
  Impl(std::shared_ptr<const io::Source> from, const std::vector<TransformSpec>& transforms,
       const LoaderOptions& given);

  // Memory that a thread keeps from sample to sample.
  struct Worker {
    std::unique_ptr<SampleMaker> maker;
    std::vector<uint8_t> bytes, entry;
  };

  void work(size_t number);
  void make(Worker& worker, Task task);
  void read_and_make(Worker& worker, const Task& task, int64_t sample);
  void make_of(Worker& worker, const Task& task, int64_t sample, codec::Bytes bytes,
               codec::Bytes index, int64_t read_ns);
  void note_direct_read(int64_t read_ns);
  void end_row(const Task& task, int64_t sample, int64_t label);
  void finish(const Task& task, int64_t sample, const SampleTimes& times);
  void fail(Task task, int64_t sample, Status status);
  void hand_over(const Task& task, int64_t sample, codec::Bytes bytes, const Status& reason);
  std::optional<Task> take_handed(uint64_t id);
  void done_with_memory();
  void cancel(std::unique_lock<std::mutex>& lock);
  void* place_of(const Task& task) const {
    return task.batch->images + static_cast<size_t>(task.row) * sample_bytes;
  }
  SampleKey key_of(int64_t sample) const {
    return {options.epoch.seed, epoch, static_cast<uint64_t>(sample)};
  }

  std::shared_ptr<const io::Source> source;
  LoaderOptions options;
  Chain chain;
  OutputWriter writer;
  size_t sample_bytes = 0;

  mutable std::mutex mutex;
  std::condition_variable work_ready, batch_ready, handover_ready, idle;
  bool stopping = false;
  int32_t busy = 0;  // threads that may write into lent memory
  uint32_t epoch = 0;
  std::unique_ptr<EpochPlan> plan;
  int64_t lent = 0;  // batches of this epoch
  BatchQueue queue;
  std::deque<Handover> waiting;
  std::map<uint64_t, Task> handed;
  uint64_t next_handover = 1;
  int32_t most_threads;
  ThreadLimit limit;
  LoaderStats stats;
  int64_t first_ns = 0, last_ns = 0;
  int64_t direct_read_ns = 0;  // of late, without the read-ahead
  bool reads_ahead = false;    // since reading was seen to be slow in this epoch
  uint64_t next_ticket = 0;
  io::Reader reader;
  std::vector<std::thread> threads;
};

}  // namespace stoker::pipeline
