// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/loader_speed.h"

#include <algorithm>
#include <utility>

#include "stoker/core/clock.h"

namespace stoker::scan {
namespace {

constexpr int64_t kBatchSize = 32;
constexpr int64_t kLeastEpoch = 1 << 16;  // samples: the end of an epoch shall not be felt
constexpr int64_t kWaitMs = 1000;

// The same samples over and over, for small sources.
class Repeated : public io::Source {
 public:
  explicit Repeated(std::shared_ptr<const io::Source> source)
      : source_(std::move(source)),
        times_(std::max<int64_t>(1, kLeastEpoch / std::max<int64_t>(1, source_->count()))) {}

  int64_t count() const override { return source_->count() * times_; }
  int64_t label(int64_t sample) const override { return source_->label(of(sample)); }
  std::string name(int64_t sample) const override { return source_->name(of(sample)); }
  Status read(int64_t sample, std::vector<uint8_t>& bytes) const override {
    return source_->read(of(sample), bytes);
  }
  Status read_index(int64_t sample, std::vector<uint8_t>& entry) const override {
    return source_->read_index(of(sample), entry);
  }
  const std::vector<std::string>& classes() const override { return source_->classes(); }
  uint64_t fingerprint() const override { return source_->fingerprint(); }

 private:
  int64_t of(int64_t sample) const { return sample % source_->count(); }

  std::shared_ptr<const io::Source> source_;
  int64_t times_;
};

std::array<int64_t, kStages.size()> stages_of(const pipeline::LoaderStats& stats) {
  return {stats.read_ns, stats.decode_ns, stats.transform_ns, stats.write_ns};
}

}  // namespace

struct LoaderSpeed::Memory {
  std::vector<float> images;
  std::vector<int64_t> labels, samples;
};

LoaderSpeed::LoaderSpeed(std::shared_ptr<const io::Source> source,
                         const std::vector<pipeline::TransformSpec>& transforms, int32_t threads) {
  pipeline::LoaderOptions options;
  options.epoch.batch_size = kBatchSize;
  options.threads = threads;
  options.on_error = pipeline::OnError::Skip;
  loader_ = std::make_unique<pipeline::Loader>(std::make_shared<Repeated>(std::move(source)),
                                               transforms, options);
  const auto values = static_cast<size_t>(kBatchSize) * 3 *
                      static_cast<size_t>(loader_->out_width()) *
                      static_cast<size_t>(loader_->out_height());
  memory_.resize(static_cast<size_t>(threads) * 2 / static_cast<size_t>(kBatchSize) + 3);
  for (Memory& memory : memory_) {
    memory.images.resize(values);
    memory.labels.resize(static_cast<size_t>(kBatchSize));
    memory.samples.resize(static_cast<size_t>(kBatchSize));
  }
}

LoaderSpeed::~LoaderSpeed() {
  loader_->close();  // before the memory goes
}

void LoaderSpeed::lend() {
  Memory& memory = memory_[static_cast<size_t>(lent_) % memory_.size()];
  loader_->lend(memory.images.data(), memory.labels.data(), memory.samples.data());
  ++lent_;
}

void LoaderSpeed::take(SpeedBlock& block) {
  std::optional<pipeline::FinishedBatch> batch;
  while (!batch) {
    batch = loader_->next(kWaitMs);
  }
  ++taken_;
  block.skipped += static_cast<int64_t>(batch->errors.size());
  if (!batch->errors.empty()) {
    block.skip_reason = batch->errors[0].name + ": " + batch->errors[0].status.message();
  }
}

SpeedBlock LoaderSpeed::run_block(double seconds) {
  SpeedBlock block;
  const pipeline::LoaderStats before = loader_->stats();
  loader_->begin_epoch(epoch_++, 0);
  lent_ = taken_ = 0;
  const int64_t begin_ns = now_ns();
  const int64_t end_ns = begin_ns + static_cast<int64_t>(seconds * 1e9);
  while (true) {
    const bool more = now_ns() < end_ns;
    while (more && lent_ - taken_ < static_cast<int64_t>(memory_.size()) &&
           lent_ < loader_->plan().batches()) {
      lend();
    }
    if (lent_ > taken_) {
      take(block);
    } else if (more) {
      loader_->begin_epoch(epoch_++, 0);
      lent_ = taken_ = 0;
    } else {
      break;
    }
  }
  block.seconds = static_cast<double>(now_ns() - begin_ns) * 1e-9;
  const pipeline::LoaderStats after = loader_->stats();
  block.samples = after.samples - before.samples;
  block.indexed = after.indexed - before.indexed;
  for (size_t stage = 0; stage < kStages.size(); ++stage) {
    block.stage_ns[stage] = stages_of(after)[stage] - stages_of(before)[stage];
  }
  return block;
}

}  // namespace stoker::scan
