// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/loader.h"

#include <chrono>

#include "stoker/core/clock.h"
#include "stoker/core/error.h"
#include "stoker/pipeline/loader_impl.h"

namespace stoker::pipeline {

Loader::Loader(std::shared_ptr<const io::Source> source,
               const std::vector<TransformSpec>& transforms, const LoaderOptions& options)
    : impl_(std::make_unique<Impl>(std::move(source), transforms, options)) {}

Loader::~Loader() {
  close();
}

void Loader::begin_epoch(uint32_t epoch, int64_t position) {
  auto plan = std::make_unique<EpochPlan>(impl_->options.epoch, epoch, position);
  std::unique_lock lock(impl_->mutex);
  impl_->cancel(lock);
  impl_->epoch = epoch;
  impl_->plan = std::move(plan);
  impl_->reads_ahead = false;
  impl_->direct_read_ns = 0;
}

const EpochPlan& Loader::plan() const {
  return *impl_->plan;
}

int32_t Loader::out_width() const {
  return impl_->chain.out_width();
}

int32_t Loader::out_height() const {
  return impl_->chain.out_height();
}

void Loader::lend(void* images, int64_t* labels, int64_t* samples) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->stopping || impl_->lent >= impl_->plan->batches()) {
    throw Error(ErrorCode::InvalidArgument,
                impl_->stopping ? "the loader is closed" : "every batch of the epoch is lent");
  }
  auto batch = std::make_shared<Batch>();
  batch->number = impl_->lent++;
  batch->rows = batch->left = impl_->plan->batch_samples(batch->number);
  batch->images = static_cast<uint8_t*>(images);
  batch->labels = labels;
  batch->samples = samples;
  batch->read_ahead = impl_->reads_ahead;
  batch->first_ticket = impl_->next_ticket;
  for (int64_t row = 0; batch->read_ahead && row < batch->rows; ++row) {
    impl_->reader.submit(impl_->next_ticket++, impl_->plan->sample(batch->number, row));
  }
  impl_->queue.add(std::move(batch));
  if (impl_->first_ns == 0) {
    impl_->first_ns = impl_->last_ns = now_ns();
  }
  impl_->work_ready.notify_all();
}

std::optional<FinishedBatch> Loader::next(int64_t timeout_ms) {
  const int64_t start = now_ns();
  std::unique_lock lock(impl_->mutex);
  std::shared_ptr<Batch> batch;
  impl_->batch_ready.wait_for(lock, std::chrono::milliseconds(timeout_ms), [&] {
    batch = impl_->queue.take_whole();
    return batch != nullptr || impl_->stopping;
  });
  const int64_t end = now_ns();
  impl_->stats.waited_ns += end - start;
  if (batch == nullptr) {
    if (impl_->stopping) {
      throw Error(ErrorCode::InvalidArgument, "the loader is closed");
    }
    return std::nullopt;
  }
  ++impl_->stats.batches;
  const int32_t before = impl_->limit.now();
  if (impl_->limit.note(end - start, end - impl_->last_ns) > before) {
    impl_->work_ready.notify_all();
  }
  impl_->last_ns = end;
  batch->result.rows = batch->rows;
  return std::move(batch->result);
}

std::optional<Handover> Loader::wait_handover(int64_t timeout_ms) {
  std::unique_lock lock(impl_->mutex);
  impl_->handover_ready.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                                 [&] { return impl_->stopping || !impl_->waiting.empty(); });
  if (impl_->stopping || impl_->waiting.empty()) {
    return std::nullopt;
  }
  Handover handover = std::move(impl_->waiting.front());
  impl_->waiting.pop_front();
  handover.waiting = impl_->waiting.size();
  return handover;
}

void Loader::finish_handover(uint64_t id, const ImageView& pixels) {
  std::optional<Task> task = impl_->take_handed(id);
  if (!task) {
    return;
  }
  const int64_t sample = impl_->plan->sample(task->batch->number, task->row, task->attempt);
  SampleMaker maker(impl_->chain, impl_->writer, impl_->options.order);
  SampleTimes times;
  Status status =
      maker.make_from_pixels(pixels, impl_->key_of(sample), impl_->place_of(*task), times);
  if (status.ok()) {
    impl_->finish(*task, sample, times);
  } else {
    impl_->fail(std::move(*task), sample, std::move(status));
  }
  impl_->done_with_memory();
}

void Loader::fail_handover(uint64_t id, Status status) {
  std::optional<Task> task = impl_->take_handed(id);
  if (!task) {
    return;
  }
  const int64_t sample = impl_->plan->sample(task->batch->number, task->row, task->attempt);
  impl_->fail(std::move(*task), sample, std::move(status));
  impl_->done_with_memory();
}

LoaderStats Loader::stats() const {
  const std::lock_guard lock(impl_->mutex);
  LoaderStats stats = impl_->stats;
  stats.elapsed_ns = impl_->last_ns - impl_->first_ns;
  stats.threads = impl_->limit.now();
  stats.reads_ahead = impl_->reads_ahead;
  return stats;
}

bool Loader::closed() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->stopping;
}

void Loader::close() {
  std::vector<std::thread> threads;
  {
    std::unique_lock lock(impl_->mutex);
    impl_->stopping = true;
    impl_->work_ready.notify_all();
    impl_->batch_ready.notify_all();
    impl_->handover_ready.notify_all();
    impl_->cancel(lock);
    threads.swap(impl_->threads);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace stoker::pipeline
