// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/epoch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "stoker/core/error.h"

namespace stoker::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> samples_of(const EpochPlan& plan) {
  std::vector<int64_t> samples;
  for (int64_t batch = 0; batch < plan.batches(); ++batch) {
    for (int64_t row = 0; row < plan.batch_samples(batch); ++row) {
      samples.push_back(plan.sample(batch, row));
    }
  }
  return samples;
}

TEST(EpochPlan, WithoutShufflingTheOrderIsTheSources) {
  const EpochPlan plan({.samples = 7, .batch_size = 3, .shuffle = false}, 0, 0);
  EXPECT_EQ(plan.batches(), 3);
  EXPECT_EQ(plan.batch_samples(2), 1);
  EXPECT_THAT(samples_of(plan), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_EQ(plan.position_after(0), 3);
  EXPECT_EQ(plan.position_after(2), 7);
}

TEST(EpochPlan, RanksGetRunsOfEachGlobalBatch) {
  const EpochOptions options{.samples = 8, .batch_size = 2, .shuffle = false, .world_size = 2};
  EpochOptions second = options;
  second.rank = 1;
  EXPECT_THAT(samples_of(EpochPlan(options, 0, 0)), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(samples_of(EpochPlan(second, 0, 0)), ElementsAre(2, 3, 6, 7));
}

TEST(EpochPlan, PadRepeatsTheFirstSamples) {
  EpochOptions options{.samples = 7, .batch_size = 2, .shuffle = false, .world_size = 3};
  std::vector<std::vector<int64_t>> ranks;
  for (options.rank = 0; options.rank < 3; ++options.rank) {
    const EpochPlan plan(options, 0, 0);
    EXPECT_EQ(plan.repeated(), 2);
    EXPECT_EQ(plan.dropped(), 0);
    ranks.push_back(samples_of(plan));
  }
  EXPECT_THAT(ranks[0], ElementsAre(0, 1, 6));
  EXPECT_THAT(ranks[1], ElementsAre(2, 3, 0));
  EXPECT_THAT(ranks[2], ElementsAre(4, 5, 1));
}

TEST(EpochPlan, DropLeavesOutTheLastSamples) {
  EpochOptions options{
      .samples = 8, .batch_size = 3, .shuffle = false, .world_size = 3, .uneven = Uneven::Drop};
  const EpochPlan plan(options, 0, 0);
  EXPECT_EQ(plan.batches(), 1);
  EXPECT_EQ(plan.batch_samples(0), 2);
  EXPECT_EQ(plan.dropped(), 2);
  options.drop_last = true;
  EXPECT_EQ(EpochPlan(options, 0, 0).batches(), 0);
  EXPECT_EQ(EpochPlan(options, 0, 0).dropped(), 8);
}

TEST(EpochPlan, EpochsAndSeedsHaveOrdersOfTheirOwn) {
  const EpochOptions options{.samples = 1000, .batch_size = 10};
  EpochOptions other = options;
  other.seed = 1;
  const std::vector<int64_t> first = samples_of(EpochPlan(options, 0, 0));
  EXPECT_EQ(first, samples_of(EpochPlan(options, 0, 0)));
  EXPECT_NE(first, samples_of(EpochPlan(options, 1, 0)));
  EXPECT_NE(first, samples_of(EpochPlan(other, 0, 0)));
  std::vector<int64_t> sorted = first;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> all(1000);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
}

// Of 3 samples all 6 orders come equally often: 6,000 seeds, within five standard deviations.
TEST(EpochPlan, EveryOrderIsEquallyLikely) {
  std::map<std::vector<int64_t>, int> count;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    ++count[samples_of(EpochPlan({.samples = 3, .batch_size = 3, .seed = seed}, 0, 0))];
  }
  ASSERT_EQ(count.size(), 6U);
  for (const auto& [order, times] : count) {
    EXPECT_NEAR(times, 1000, 145);
  }
}

// However an epoch is cut into runs of several world sizes, every sample comes once, plus the
// repeats that the plan itself counts, which are of the first samples of the order.
TEST(EpochPlan, AnotherNumberOfRanksGoesOnWhereTheOthersStopped) {
  EpochOptions options{.samples = 101, .batch_size = 4, .seed = 9};
  std::multiset<int64_t> delivered;
  int64_t position = 0;
  int64_t repeated = 0;
  for (const auto& [ranks, steps] :
       std::vector<std::pair<int32_t, int64_t>>{{1, 5}, {3, 2}, {2, 99}}) {
    options.world_size = ranks;
    int64_t after = position;
    for (options.rank = 0; options.rank < ranks; ++options.rank) {
      const EpochPlan plan(options, 3, position);
      for (int64_t batch = 0; batch < std::min(steps, plan.batches()); ++batch) {
        for (int64_t row = 0; row < plan.batch_samples(batch); ++row) {
          delivered.insert(plan.sample(batch, row));
        }
        after = plan.position_after(batch);
      }
      repeated = plan.repeated();
    }
    position = after;
  }
  EXPECT_EQ(position, 101);
  EXPECT_EQ(repeated, 1);
  EXPECT_EQ(delivered.size(), 102U);
  EXPECT_EQ(std::set<int64_t>(delivered.begin(), delivered.end()).size(), 101U);
}

TEST(EpochPlan, WrongSetUpSaysWhatIsWrong) {
  const auto text = [](const EpochOptions& options, int64_t position) -> std::string {
    try {
      const EpochPlan plan(options, 0, position);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(text({.samples = 0}, 0), HasSubstr("a source of 0 samples"));
  EXPECT_THAT(text({.samples = 5, .batch_size = 0}, 0), HasSubstr("batch_size is 0"));
  EXPECT_THAT(text({.samples = 5, .rank = 2, .world_size = 2}, 0),
              HasSubstr("rank 2 of world_size 2"));
  EXPECT_THAT(text({.samples = 5}, 6), HasSubstr("position 6 of 5 samples"));
}

}  // namespace
}  // namespace stoker::pipeline
