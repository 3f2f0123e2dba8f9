// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/loader_impl.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>

#include "stoker/core/clock.h"
#include "stoker/core/error.h"
#include "stoker/core/system_view.h"

namespace stoker::pipeline {
namespace {

constexpr size_t kMaxReasons = 32;
constexpr int64_t kSlowReadNs = 100'000;  // of a file of 100 kB: 20 us from memory
constexpr int64_t kReadMemory = 16;       // samples

int32_t usable_threads() {
  return std::max(1, SystemView().machine().usable_cpus());
}

// What the caller's thread does with signals stays its own business.
void start_thread(size_t number) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), fmt::format("stk-load-{}", number).c_str());
}

// Enough samples ahead for each thread to have the next ones at hand.
io::ReaderOptions reader_options(int32_t threads) {
  return {.threads = 1, .most_threads = 16, .buffers = 16 + 4 * threads};
}

OutputWriter make_writer(const LoaderOptions& options, const Chain& chain) {
  std::vector<image::Step> steps = chain.value_steps();
  if (options.dtype == Dtype::Uint8 && chain.makes_fractions()) {
    throw Error(ErrorCode::InvalidArgument,
                "dtype uint8 cannot hold what ToTensor or Normalize makes",
                "leave these transforms out, or take float32, float16 or bfloat16");
  }
  // Without a word on values a tensor of floats holds 0 to 1, as ToTensor makes it.
  if (options.dtype != Dtype::Uint8 && steps.empty()) {
    steps.emplace_back(image::ToTensorStep{.scale = true});
  }
  return {options.dtype, options.layout, steps};
}

}  // namespace

Loader::Impl::Impl(std::shared_ptr<const io::Source> from,
                   const std::vector<TransformSpec>& transforms, const LoaderOptions& given)
    : source(std::move(from)),
      options(given),
      chain(transforms),
      writer(make_writer(given, chain)),
      sample_bytes(writer.sample_bytes(chain.out_width(), chain.out_height())),
      most_threads(given.threads > 0 ? given.threads : usable_threads()),
      limit(given.threads > 0 ? most_threads : std::max(1, most_threads - 1), most_threads,
            given.threads > 0),
      reader(*source, reader_options(most_threads)) {
  options.epoch.samples = source->count();
  stats.threads_most = most_threads;
  plan = std::make_unique<EpochPlan>(options.epoch, epoch, 0);
  for (int32_t number = 0; number < most_threads; ++number) {
    threads.emplace_back([this, number] { work(static_cast<size_t>(number)); });
  }
}

void Loader::Impl::work(size_t number) {
  start_thread(number);
  Worker worker;
  std::unique_lock lock(mutex);
  while (true) {
    work_ready.wait(lock, [&] {
      return stopping || (queue.has_task() && number < static_cast<size_t>(limit.now()));
    });
    if (stopping) {
      return;
    }
    Task task = queue.take();
    ++busy;
    lock.unlock();
    make(worker, std::move(task));
    lock.lock();
    if (--busy == 0) {
      idle.notify_all();
    }
  }
}

void Loader::Impl::make(Worker& worker, Task task) {
  const int64_t sample = plan->sample(task.batch->number, task.row, task.attempt);
  try {
    if (!worker.maker) {
      worker.maker = std::make_unique<SampleMaker>(chain, writer, options.order);
    }
    read_and_make(worker, task, sample);
  } catch (const std::exception& error) {
    fail(std::move(task), sample, {ErrorCode::Internal, error.what()});
  }
}

void Loader::Impl::read_and_make(Worker& worker, const Task& task, int64_t sample) {
  const int64_t start = now_ns();
  if (task.attempt == 0 && task.batch->read_ahead) {
    const io::Reader::Sample read =
        reader.take(task.batch->first_ticket + static_cast<uint64_t>(task.row));
    if (!read.status().ok()) {
      fail(task, sample, read.status());
      return;
    }
    make_of(worker, task, sample, read.bytes(), read.index(), now_ns() - start);
    return;
  }
  if (Status status = source->read(sample, worker.bytes); !status.ok()) {
    fail(task, sample, std::move(status));
    return;
  }
  // An index only saves time: without it the file is decoded as any other.
  if (!source->read_index(sample, worker.entry).ok()) {
    worker.entry.clear();
  }
  const int64_t read_ns = now_ns() - start;
  note_direct_read(read_ns);
  make_of(worker, task, sample, worker.bytes, worker.entry, read_ns);
}

// Where files come from memory, a thread of its own for them costs more than it saves.
void Loader::Impl::note_direct_read(int64_t read_ns) {
  const std::lock_guard lock(mutex);
  direct_read_ns += (read_ns - direct_read_ns) / kReadMemory;
  reads_ahead = reads_ahead || direct_read_ns > kSlowReadNs;
}

void Loader::Impl::make_of(Worker& worker, const Task& task, int64_t sample, codec::Bytes bytes,
                           codec::Bytes index, int64_t read_ns) {
  SampleTimes times;
  Status status = worker.maker->make(bytes, index, key_of(sample), place_of(task), times);
  {
    const std::lock_guard lock(mutex);
    stats.read_ns += read_ns;
    stats.bytes_read += static_cast<int64_t>(bytes.size());
    stats.indexed += index.empty() ? 0 : 1;
  }
  if (status.ok()) {
    finish(task, sample, times);
  } else if (options.hand_over && status.code() != ErrorCode::InvalidArgument) {
    hand_over(task, sample, bytes, status);
  } else {
    fail(task, sample, std::move(status));
  }
}

// Under the lock: the row is what it will be.
void Loader::Impl::end_row(const Task& task, int64_t sample, int64_t label) {
  Batch& batch = *task.batch;
  batch.labels[task.row] = label;
  batch.samples[task.row] = sample;
  if (--batch.left == 0) {
    batch_ready.notify_all();
  }
}

void Loader::Impl::finish(const Task& task, int64_t sample, const SampleTimes& times) {
  const int64_t label = source->label(sample);
  const std::lock_guard lock(mutex);
  stats.decode_ns += times.decode_ns;
  stats.transform_ns += times.transform_ns;
  stats.write_ns += times.write_ns;
  if (task.batch->cancelled) {
    return;
  }
  ++stats.samples;
  end_row(task, sample, label);
}

void Loader::Impl::fail(Task task, int64_t sample, Status status) {
  std::string name = source->name(sample);
  const int64_t label = source->label(sample);
  const std::lock_guard lock(mutex);
  Batch& batch = *task.batch;
  if (batch.cancelled) {
    return;
  }
  ++stats.errors;
  batch.result.errors.push_back({task.row, sample, std::move(name), std::move(status)});
  // Every sample of the source is tried once before the row is given up.
  if (options.on_error == OnError::Replace && task.attempt + 1 < options.epoch.samples) {
    ++task.attempt;
    queue.again(std::move(task));
    work_ready.notify_all();
    return;
  }
  batch.result.missing.push_back(task.row);
  end_row(task, sample, label);
}

void Loader::Impl::hand_over(const Task& task, int64_t sample, codec::Bytes bytes,
                             const Status& reason) {
  std::string name = source->name(sample);
  const std::lock_guard lock(mutex);
  if (task.batch->cancelled) {
    return;
  }
  ++stats.handed_over;
  const std::string text = reason.to_string();
  if (stats.handed_over_reasons.size() < kMaxReasons || stats.handed_over_reasons.contains(text)) {
    ++stats.handed_over_reasons[text];
  } else {
    ++stats.handed_over_reasons["other"];
  }
  const uint64_t id = next_handover++;
  handed.emplace(id, task);
  waiting.push_back({id, sample, std::move(name), {bytes.begin(), bytes.end()}, 0});
  handover_ready.notify_one();
}

void Loader::Impl::done_with_memory() {
  const std::lock_guard lock(mutex);
  if (--busy == 0) {
    idle.notify_all();
  }
}

// Stops all work on lent memory and waits until nobody is at it.
void Loader::Impl::cancel(std::unique_lock<std::mutex>& lock) {
  queue.cancel_all();
  reader.cancel();
  waiting.clear();
  handed.clear();
  idle.wait(lock, [&] { return busy == 0; });
  lent = 0;
}

// The task of a handover, unless it was cancelled; then the caller is one of the busy.
std::optional<Task> Loader::Impl::take_handed(uint64_t id) {
  const std::lock_guard lock(mutex);
  const auto found = handed.find(id);
  if (found == handed.end()) {
    return std::nullopt;
  }
  Task task = std::move(found->second);
  handed.erase(found);
  ++busy;
  return task;
}

}  // namespace stoker::pipeline
