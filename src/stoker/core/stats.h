// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace stoker {

// All of these want at least one value, none of them NaN, and throw Error (InvalidArgument) when
// there is none.

double mean(std::span<const double> values);
double median(std::span<const double> values);
// Median of |value - median|, unscaled.
double median_absolute_deviation(std::span<const double> values);

// `percent` from 0 to 100, linear between the two nearest ranks, as numpy.percentile does.
double percentile(std::span<const double> values, double percent);
// Several at the price of one sort, in the order of `percents`.
std::vector<double> percentiles(std::span<const double> values, std::span<const double> percents);

// A value and its confidence interval.
struct Estimate {
  double low = 0;
  double value = 0;
  double high = 0;
};

struct BootstrapOptions {
  int resamples = 2000;
  double confidence = 0.95;
  uint64_t seed = 0;
};

using Statistic = std::function<double(std::span<const double>)>;

// Percentile bootstrap of `statistic` over independent blocks. Measurements that follow each other
// are not independent, so a block is what was measured in one go and reduced to one value.
Estimate bootstrap(std::span<const double> blocks, const Statistic& statistic,
                   const BootstrapOptions& options = {});

// What A-B-B-A measured: the first and last block used the old way, the two in the middle the new.
struct AbbaRound {
  double a_first = 0;
  double b_first = 0;
  double b_second = 0;
  double a_second = 0;
};

// Gain of B over A as a factor (1.25 = 25 % faster) when the blocks hold times: per round the
// ratio of the sums, which cancels a linear drift; over the rounds the median with its interval.
Estimate paired_gain(std::span<const AbbaRound> rounds, const BootstrapOptions& options = {});

}  // namespace stoker
