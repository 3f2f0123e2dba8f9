// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/io/source.h"
#include "stoker/pipeline/loader.h"

namespace stoker::scan {

// Parts of the work on one sample, in order.
inline constexpr std::array<const char*, 4> kStages = {"read", "decode", "transform", "to_tensor"};

struct SpeedBlock {
  int64_t samples = 0;
  int64_t skipped = 0;  // not for the native decoders, or broken
  int64_t indexed = 0;  // read with an index entry
  double seconds = 0;
  std::array<int64_t, kStages.size()> stage_ns{};  // of all threads together
  std::string skip_reason;                         // of one of them
};

// How fast the loader makes samples when nobody holds it back: batches of float32 in random order.
// One thread calls it.
class LoaderSpeed {
 public:
  // Throws Error as the loader does.
  LoaderSpeed(std::shared_ptr<const io::Source> source,
              const std::vector<pipeline::TransformSpec>& transforms, int32_t threads);
  ~LoaderSpeed();
  LoaderSpeed(const LoaderSpeed&) = delete;
  LoaderSpeed& operator=(const LoaderSpeed&) = delete;

  // Of a sample, in pixels.
  int32_t width() const { return loader_->out_width(); }
  int32_t height() const { return loader_->out_height(); }
  // Works for `seconds`, and on until the last batch is whole.
  SpeedBlock run_block(double seconds);

 private:
  struct Memory;

  void lend();
  void take(SpeedBlock& block);

  std::unique_ptr<pipeline::Loader> loader_;
  std::vector<Memory> memory_;  // used in turn
  uint32_t epoch_ = 0;
  int64_t lent_ = 0, taken_ = 0;  // batches of the epoch
};

}  // namespace stoker::scan
