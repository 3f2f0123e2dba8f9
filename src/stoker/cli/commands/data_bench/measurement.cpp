// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/data_bench/measurement.h"

#include <optional>
#include <utility>

#include "stoker/core/error.h"

namespace stoker::cli {
namespace {

constexpr int kRounds = 3;  // of A-B-B-A
constexpr double kWarmUpSeconds = 0.3;

class Bench {
 public:
  Bench(scan::LoaderSpeed& native, Baseline* baseline) : native_(native), baseline_(baseline) {}

  Measurement run(double seconds) {
    native_.run_block(kWarmUpSeconds);
    if (baseline_ != nullptr && baseline_block(kWarmUpSeconds)) {
      const double block = seconds / (4 * kRounds);
      for (int round = 0; round < kRounds && baseline_ != nullptr; ++round) {
        run_round(block);
      }
    }
    if (baseline_ == nullptr) {
      for (int block = 0; block < kRounds; ++block) {
        native_block(seconds / kRounds);
      }
    }
    return std::move(found_);
  }

 private:
  // Both give seconds a sample.
  double native_block(double seconds) {
    const scan::SpeedBlock block = native_.run_block(seconds);
    if (block.samples == 0) {
      throw Error(ErrorCode::InvalidArgument,
                  "the native decoders take none of these files: " + block.skip_reason,
                  "`stoker data scan PATH` says what is in them");
    }
    found_.samples += block.samples;
    found_.skipped += block.skipped;
    found_.indexed += block.indexed;
    for (size_t stage = 0; stage < block.stage_ns.size(); ++stage) {
      found_.stage_ns[stage] += block.stage_ns[stage];
    }
    found_.native_rates.push_back(static_cast<double>(block.samples) / block.seconds);
    return 1 / found_.native_rates.back();
  }

  std::optional<double> baseline_block(double seconds) {
    const Result<BaselineBlock> block = baseline_->run_block(seconds);
    if (!block.ok()) {
      found_.no_baseline_reason = block.status().message();
      found_.rounds.clear();
      baseline_ = nullptr;
      return std::nullopt;
    }
    return block->seconds / static_cast<double>(block->samples);
  }

  void run_round(double seconds) {
    AbbaRound round;
    const std::optional<double> first = baseline_block(seconds);
    if (!first) {
      return;
    }
    round.a_first = *first;
    round.b_first = native_block(seconds);
    round.b_second = native_block(seconds);
    const std::optional<double> second = baseline_block(seconds);
    if (!second) {
      return;
    }
    round.a_second = *second;
    found_.baseline_rates.push_back(1 / round.a_first);
    found_.baseline_rates.push_back(1 / round.a_second);
    found_.rounds.push_back(round);
  }

  scan::LoaderSpeed& native_;
  Baseline* baseline_;
  Measurement found_;
};

}  // namespace

Measurement measure(scan::LoaderSpeed& native, Baseline* baseline, double seconds) {
  return Bench(native, baseline).run(seconds);
}

}  // namespace stoker::cli
