// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace stoker::pipeline {

// How ranks end together when samples do not divide.
enum class Uneven : uint8_t {
  Pad,   // some samples are repeated: the first ones of the epoch's order
  Drop,  // the last samples are left out
};

struct EpochOptions {
  int64_t samples = 0;  // of the source
  int64_t batch_size = 1;
  bool shuffle = true;
  uint64_t seed = 0;
  bool drop_last = false;  // no batch that is not whole
  int32_t rank = 0, world_size = 1;
  Uneven uneven = Uneven::Pad;
};

// The order of an epoch and how it is dealt out. All ranks together go through one global order:
// step s takes the next world_size * batch_size positions of it, rank r the r-th run of batch_size
// of these. So the state of all ranks is one number, the first position that was not delivered, and
// another number of ranks may go on from there. A pure function of options, epoch and that number.
class EpochPlan {
 public:
  // Begins at `position` (0 .. samples) of the epoch.
  EpochPlan(const EpochOptions& options, uint32_t epoch, int64_t position);

  // Of this rank, from `position` on; the same for all ranks.
  int64_t batches() const { return batches_; }
  int64_t batch_samples(int64_t batch) const;
  // The sample in row `row` of a batch; `attempt` > 0: the so manieth one after it in the order,
  // which stands in for a bad one.
  int64_t sample(int64_t batch, int64_t row, int64_t attempt = 0) const;
  // The position after `batch`, for resuming: the same on all ranks.
  int64_t position_after(int64_t batch) const;
  // How many rows of all ranks together are repeats, and how many samples nobody gets.
  int64_t repeated() const { return repeated_; }
  int64_t dropped() const { return dropped_; }

 private:
  int64_t first_position(int64_t batch) const;

  EpochOptions options_;
  int64_t position_;
  int64_t batches_ = 0, last_rows_ = 0;  // rows of the last batch
  int64_t repeated_ = 0, dropped_ = 0;
  std::vector<uint32_t> order_;  // empty: as the source has it
};

}  // namespace stoker::pipeline
