// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/stats.h"

#include <gmock/gmock.h>

#include <numeric>

#include "stoker/core/error.h"

namespace stoker {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Stats, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(std::vector<double>{7}), 7);
}

TEST(Stats, MeanAndMad) {
  EXPECT_EQ(mean(std::vector<double>{1, 2, 6}), 3);
  // Median 2, distances 1 1 0 0 2 4 7: median 1.
  EXPECT_EQ(median_absolute_deviation(std::vector<double>{1, 1, 2, 2, 4, 6, 9}), 1);
}

TEST(Stats, PercentilesAreLinearBetweenRanks) {
  // numpy.percentile([15, 20, 35, 40, 50], [0, 10, 40, 90, 100])
  const std::vector<double> values = {50, 15, 40, 20, 35};
  EXPECT_THAT(percentiles(values, std::vector<double>{0, 10, 40, 90, 100}),
              ElementsAre(DoubleEq(15), DoubleEq(17), DoubleEq(29), DoubleEq(46), DoubleEq(50)));
}

TEST(Stats, NoValuesIsAnError) {
  EXPECT_THROW(median({}), Error);
  EXPECT_THROW(mean({}), Error);
  EXPECT_THROW(paired_gain({}), Error);
}

TEST(Stats, BootstrapOfEqualBlocksHasNoWidth) {
  const Estimate estimate = bootstrap(std::vector<double>{2, 2, 2}, median);
  EXPECT_EQ(estimate.low, 2);
  EXPECT_EQ(estimate.value, 2);
  EXPECT_EQ(estimate.high, 2);
}

TEST(Stats, BootstrapIntervalOfAMean) {
  // 0 .. 99: the standard error of the mean is 28.866 / 10, so 95 % is 49.5 +- 5.66.
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 0.0);
  const Estimate estimate = bootstrap(values, mean);
  EXPECT_EQ(estimate.value, 49.5);
  EXPECT_THAT(estimate.low, DoubleNear(43.84, 0.5));
  EXPECT_THAT(estimate.high, DoubleNear(55.16, 0.5));
}

TEST(Stats, BootstrapDependsOnTheSeedAlone) {
  const std::vector<double> values = {1, 5, 2, 8, 3};
  const Estimate once = bootstrap(values, mean, {.resamples = 50, .seed = 1});
  const Estimate again = bootstrap(values, mean, {.resamples = 50, .seed = 1});
  const Estimate other = bootstrap(values, mean, {.resamples = 50, .seed = 2});
  EXPECT_EQ(once.low, again.low);
  EXPECT_EQ(once.high, again.high);
  EXPECT_NE(once.low + once.high, other.low + other.high);
}

TEST(Stats, PairedGainCancelsALinearDrift) {
  // Each block takes 1 s more than the one before; without drift A takes 20 and B 10.
  const std::vector<AbbaRound> rounds(
      5, {.a_first = 20.0 - 1.5, .b_first = 10 - 0.5, .b_second = 10 + 0.5, .a_second = 20 + 1.5});
  const Estimate gain = paired_gain(rounds);
  EXPECT_EQ(gain.low, 2);
  EXPECT_EQ(gain.value, 2);
  EXPECT_EQ(gain.high, 2);
}

}  // namespace
}  // namespace stoker
