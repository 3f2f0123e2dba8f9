// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/shared_counter.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace stoker {
namespace {

TEST(SharedCounter, CountsAcrossThreads) {
  auto counter = SharedCounter::open("");
  ASSERT_TRUE(counter.ok()) << counter.status().to_string();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) {
        (*counter)->next();
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ((*counter)->next(), 4000u);
}

TEST(SharedCounter, ForkedChildCountsOn) {
  auto counter = SharedCounter::open("");
  ASSERT_TRUE(counter.ok());
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::_exit((*counter)->next() == 0 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ((*counter)->next(), 1u);
}

TEST(SharedCounter, FileIsSharedAndKeepsItsValue) {
  const std::string path = testing::TempDir() + "stoker_counter";
  ::unlink(path.c_str());
  auto first = SharedCounter::open(path);
  auto second = SharedCounter::open(path);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)->next(), 0u);
  EXPECT_EQ((*second)->next(), 1u);
  EXPECT_EQ((*first)->next(), 2u);
  ::unlink(path.c_str());
}

TEST(SharedCounter, StopReachesTheOthers) {
  auto counter = SharedCounter::open("");
  ASSERT_TRUE(counter.ok());
  (*counter)->next();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (*counter)->stop();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ((*counter)->next(), SharedCounter::kStopped + 1);
  EXPECT_EQ((*counter)->next(), SharedCounter::kStopped + 2);
}

TEST(SharedCounter, SaysWhyAFileCannotBeOpened) {
  auto counter = SharedCounter::open("/nonexistent/counter");
  ASSERT_FALSE(counter.ok());
  EXPECT_EQ(counter.status().code(), ErrorCode::IoError);
  EXPECT_EQ(counter.status().message(),
            "cannot open /nonexistent/counter: No such file or directory");
}

}  // namespace
}  // namespace stoker
