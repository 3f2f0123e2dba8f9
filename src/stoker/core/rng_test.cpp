// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/rng.h"

#include <gmock/gmock.h>

#include <set>

namespace stoker {
namespace {

using ::testing::ElementsAre;

// The known answers that Random123 publishes for philox4x32 with 10 rounds.
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(
      philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(
      philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(Philox, StreamReadsBlocksInOrder) {
  Philox draws(0, 0);
  EXPECT_EQ(draws.next(), 0x6627e8d5U);
  EXPECT_EQ(draws.next(), 0xe169c58dU);
  draws.next();
  draws.next();
  EXPECT_EQ(draws.next(), philox4x32({1, 0, 0, 0}, {0, 0})[0]);
}

TEST(Philox, SeedItemAndStreamEachChangeTheDraws) {
  const std::set<uint32_t> first = {Philox(1, 0).next(), Philox(uint64_t{1} << 32, 0).next(),
                                    Philox(0, 1).next(), Philox(0, uint64_t{1} << 32).next(),
                                    Philox(0, 0, 1).next()};
  EXPECT_EQ(first.size(), 5U);
}

TEST(Philox, RangesHold) {
  Philox draws(7, 7);
  std::set<uint32_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const float x = draws.uniform(-2, 3);
    EXPECT_GE(x, -2);
    EXPECT_LT(x, 3);
    seen.insert(draws.below(3));
  }
  EXPECT_THAT(seen, ElementsAre(0U, 1U, 2U));
}

}  // namespace
}  // namespace stoker
