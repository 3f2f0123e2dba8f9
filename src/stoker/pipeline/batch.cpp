// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/batch.h"

namespace stoker::pipeline {

Task BatchQueue::take() {
  if (!again_.empty()) {
    Task task = std::move(again_.front());
    again_.pop_front();
    return task;
  }
  Task task{batches_[begun_], next_row_, 0};
  if (++next_row_ == task.batch->rows) {
    next_row_ = 0;
    ++begun_;
  }
  return task;
}

std::shared_ptr<Batch> BatchQueue::take_whole() {
  if (batches_.empty() || batches_.front()->left > 0) {
    return nullptr;
  }
  std::shared_ptr<Batch> batch = std::move(batches_.front());
  batches_.pop_front();
  --begun_;
  return batch;
}

void BatchQueue::cancel_all() {
  for (const std::shared_ptr<Batch>& batch : batches_) {
    batch->cancelled = true;
  }
  batches_.clear();
  again_.clear();
  begun_ = 0;
  next_row_ = 0;
}

}  // namespace stoker::pipeline
