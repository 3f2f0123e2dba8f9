// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/epoch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "stoker/core/error.h"
#include "stoker/core/rng.h"

namespace stoker::pipeline {
namespace {

constexpr uint64_t kOrderItem = std::numeric_limits<uint64_t>::max();  // no sample has this number

void check(const EpochOptions& options, int64_t position) {
  const auto refuse = [](const std::string& what, const char* hint) {
    throw Error(ErrorCode::InvalidArgument, what, hint);
  };
  if (options.samples < 1 || options.samples > std::numeric_limits<uint32_t>::max()) {
    refuse(fmt::format("a source of {} samples", options.samples),
           "1 to 4,294,967,295 are possible");
  }
  if (options.batch_size < 1) {
    refuse(fmt::format("batch_size is {}", options.batch_size), "give at least 1");
  }
  if (options.world_size < 1 || options.rank < 0 || options.rank >= options.world_size) {
    refuse(fmt::format("rank {} of world_size {}", options.rank, options.world_size),
           "ranks go from 0 to world_size - 1");
  }
  if (position < 0 || position > options.samples) {
    refuse(fmt::format("position {} of {} samples", position, options.samples),
           "the state belongs to another data set");
  }
}

// Fisher and Yates' shuffle: every order is equally likely.
std::vector<uint32_t> shuffled(int64_t samples, uint64_t seed, uint32_t epoch) {
  std::vector<uint32_t> order(static_cast<size_t>(samples));
  std::iota(order.begin(), order.end(), 0U);
  Philox draws(seed, kOrderItem, epoch);
  for (size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[draws.below(static_cast<uint32_t>(left))]);
  }
  return order;
}

}  // namespace

EpochPlan::EpochPlan(const EpochOptions& options, uint32_t epoch, int64_t position)
    : options_(options), position_(position) {
  check(options, position);
  const int64_t step = options.batch_size * options.world_size;
  const int64_t left = options.samples - position;
  const int64_t rest = left % step;
  batches_ = left / step;
  last_rows_ = options.batch_size;
  if (rest > 0 && !options.drop_last) {
    const bool pads = options.uneven == Uneven::Pad;
    const int64_t rows = (pads ? rest + options.world_size - 1 : rest) / options.world_size;
    if (rows > 0) {
      ++batches_;
      last_rows_ = rows;
    }
    repeated_ = pads ? rows * options.world_size - rest : 0;
    dropped_ = pads ? 0 : rest - rows * options.world_size;
  } else {
    dropped_ = rest;
  }
  if (options.shuffle) {
    order_ = shuffled(options.samples, options.seed, epoch);
  }
}

int64_t EpochPlan::batch_samples(int64_t batch) const {
  return batch + 1 == batches_ ? last_rows_ : options_.batch_size;
}

int64_t EpochPlan::first_position(int64_t batch) const {
  return position_ + batch * options_.batch_size * options_.world_size +
         options_.rank * batch_samples(batch);
}

int64_t EpochPlan::sample(int64_t batch, int64_t row, int64_t attempt) const {
  const int64_t at = (first_position(batch) + row + attempt) % options_.samples;
  return order_.empty() ? at : order_[static_cast<size_t>(at)];
}

int64_t EpochPlan::position_after(int64_t batch) const {
  return std::min(options_.samples,
                  position_ + (batch + 1) * options_.batch_size * options_.world_size);
}

}  // namespace stoker::pipeline
