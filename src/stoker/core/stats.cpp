// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/stats.h"

#include <algorithm>
#include <cmath>

#include "stoker/core/error.h"
#include "stoker/core/rng.h"

namespace stoker {
namespace {

void require_values(std::span<const double> values) {
  if (values.empty()) {
    throw Error(ErrorCode::InvalidArgument, "statistics of no values", "measure at least once");
  }
}

double sorted_percentile(const std::vector<double>& sorted, double percent) {
  const double rank =
      std::clamp(percent, 0.0, 100.0) / 100.0 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], rank - static_cast<double>(below));
}

}  // namespace

double mean(std::span<const double> values) {
  require_values(values);
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

std::vector<double> percentiles(std::span<const double> values, std::span<const double> percents) {
  require_values(values);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> found;
  for (const double percent : percents) {
    found.push_back(sorted_percentile(sorted, percent));
  }
  return found;
}

double percentile(std::span<const double> values, double percent) {
  return percentiles(values, {&percent, 1}).front();
}

double median(std::span<const double> values) {
  return percentile(values, 50);
}

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> distances;
  for (const double value : values) {
    distances.push_back(std::abs(value - center));
  }
  return median(distances);
}

Estimate bootstrap(std::span<const double> blocks, const Statistic& statistic,
                   const BootstrapOptions& options) {
  require_values(blocks);
  std::vector<double> resample(blocks.size());
  std::vector<double> found;
  for (int i = 0; i < options.resamples; ++i) {
    Philox draw(options.seed, static_cast<uint64_t>(i));
    for (double& value : resample) {
      value = blocks[draw.below(static_cast<uint32_t>(blocks.size()))];
    }
    found.push_back(statistic(resample));
  }
  const double tail = (1 - options.confidence) / 2 * 100;
  const double ends[] = {tail, 100 - tail};
  const std::vector<double> interval = percentiles(found, ends);
  return {.low = interval[0], .value = statistic(blocks), .high = interval[1]};
}

Estimate paired_gain(std::span<const AbbaRound> rounds, const BootstrapOptions& options) {
  std::vector<double> ratios;
  for (const AbbaRound& round : rounds) {
    ratios.push_back((round.a_first + round.a_second) / (round.b_first + round.b_second));
  }
  return bootstrap(ratios, median, options);
}

}  // namespace stoker
