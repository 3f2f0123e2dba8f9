// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/line_process.h"

#include <gtest/gtest.h>

#include "stoker/core/clock.h"
#include "stoker/core/error.h"

namespace stoker::cli {
namespace {

TEST(LineProcess, TalksLineByLine) {
  LineProcess process({"/bin/sh", "-c", "echo ready; read x; echo got $x; echo more"});
  EXPECT_EQ(process.read_line(10'000).value(), "ready");
  ASSERT_TRUE(process.write_line("it").ok());
  EXPECT_EQ(process.read_line(10'000).value(), "got it");
  EXPECT_EQ(process.read_line(10'000).value(), "more");
  EXPECT_EQ(process.read_line(10'000).status().message(),
            "the process has ended without an answer");
}

TEST(LineProcess, WritesMoreThanAPipeHolds) {
  LineProcess process({"/bin/sh", "-c", "head -c 3000000 | wc -c"});
  ASSERT_TRUE(process.write(std::vector<uint8_t>(3'000'000, 'x')).ok());
  EXPECT_EQ(std::stoi(process.read_line(30'000).value()), 3'000'000);
}

TEST(LineProcess, SilenceAndDeathAreFailures) {
  LineProcess silent({"/bin/cat"});
  EXPECT_EQ(silent.read_line(20).status().message(), "the process gave no answer in time");
  LineProcess dead({"/bin/true"});
  EXPECT_FALSE(dead.read_line(10'000).ok());
}

TEST(LineProcess, AProgramThatIsNotThereIsAnError) {
  EXPECT_THROW(LineProcess({"/no/such/program"}), Error);
}

TEST(LineProcess, EndsAChildThatDoesNotListen) {
  const int64_t begin = now_ns();
  {
    LineProcess deaf({"/bin/sleep", "1000"});
  }
  EXPECT_LT(now_ns() - begin, 30'000'000'000);
}

}  // namespace
}  // namespace stoker::cli
