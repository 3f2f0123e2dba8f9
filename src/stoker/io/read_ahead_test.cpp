// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/read_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace stoker::io {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Sample i holds i % 100 bytes of value i; every seventh has an index, every eleventh fails.
class FakeSource : public Source {
 public:
  int64_t count() const override { return 1 << 20; }
  int64_t label(int64_t sample) const override { return sample; }
  std::string name(int64_t sample) const override { return std::to_string(sample); }
  Status read(int64_t sample, std::vector<uint8_t>& bytes) const override {
    {
      std::unique_lock lock(mutex_);
      opened_.wait(lock, [&] { return open_; });
      readers_.insert(std::this_thread::get_id());
      buffers_.insert(&bytes);
      order_.push_back(sample);
    }
    std::this_thread::sleep_for(delay);
    bytes.assign(static_cast<size_t>(sample % 100), static_cast<uint8_t>(sample));
    if (sample % 13 == 5) {
      throw std::runtime_error("thrown");
    }
    return sample % 11 == 3 ? Status(ErrorCode::IoError, "made to fail") : Status();
  }
  Status read_index(int64_t sample, std::vector<uint8_t>& entry) const override {
    entry.assign(sample % 7 == 0 ? 3 : 0, 9);
    return sample % 14 == 0 ? Status(ErrorCode::Truncated, "index") : Status();
  }
  const std::vector<std::string>& classes() const override { return classes_; }
  uint64_t fingerprint() const override { return 0; }

  // Reads wait while it is closed.
  void set_open(bool open) {
    const std::lock_guard lock(mutex_);
    open_ = open;
    opened_.notify_all();
  }
  size_t readers() const {
    const std::lock_guard lock(mutex_);
    return readers_.size();
  }
  size_t buffers() const {
    const std::lock_guard lock(mutex_);
    return buffers_.size();
  }
  std::vector<int64_t> order() const {
    const std::lock_guard lock(mutex_);
    return order_;
  }

  microseconds delay{0};

 private:
  std::vector<std::string> classes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable opened_;
  bool open_ = true;
  mutable std::set<std::thread::id> readers_;
  mutable std::set<const void*> buffers_;
  mutable std::vector<int64_t> order_;
};

void expect_sample(const Reader::Sample& taken, int64_t sample) {
  if (sample % 13 == 5) {
    EXPECT_EQ(taken.status().code(), ErrorCode::Internal);
  } else if (sample % 11 == 3) {
    EXPECT_EQ(taken.status().code(), ErrorCode::IoError);
  } else {
    EXPECT_TRUE(taken.status().ok());
    ASSERT_EQ(taken.bytes().size(), static_cast<size_t>(sample % 100));
    EXPECT_TRUE(taken.bytes().empty() || taken.bytes()[0] == static_cast<uint8_t>(sample));
    EXPECT_EQ(taken.index().size(), sample % 7 == 0 && sample % 14 != 0 ? 3U : 0U);
  }
}

TEST(ReadAhead, ReadsInTheOrderOfSubmission) {
  FakeSource source;
  Reader reader(source, {.threads = 1, .most_threads = 1, .buffers = 8});
  for (int64_t i = 0; i < 8; ++i) {
    reader.submit(static_cast<uint64_t>(i), 7 - i);
  }
  while (source.order().size() < 8) {
    std::this_thread::yield();
  }
  EXPECT_EQ(source.order(), (std::vector<int64_t>{7, 6, 5, 4, 3, 2, 1, 0}));
  for (int64_t i = 0; i < 8; ++i) {
    expect_sample(reader.take(static_cast<uint64_t>(i)), 7 - i);
  }
  EXPECT_EQ(reader.stats().read_by_takers, 0);
}

TEST(ReadAhead, TakersInAnyOrderNeverBlockEachOther) {
  FakeSource source;
  Reader reader(source, {.threads = 2, .buffers = 3});
  constexpr int64_t kSamples = 500;
  for (int64_t i = 0; i < kSamples; ++i) {
    reader.submit(static_cast<uint64_t>(i), i);
  }
  // Backwards, while the buffers are full of the first ones.
  for (int64_t i = kSamples - 1; i >= 0; --i) {
    expect_sample(reader.take(static_cast<uint64_t>(i)), i);
  }
  const ReaderStats stats = reader.stats();
  EXPECT_EQ(stats.taken, kSamples);
  EXPECT_GE(stats.read_by_takers, kSamples - 10);
  EXPECT_LE(source.buffers(), 4U);
}

TEST(ReadAhead, ManyTakersAndASubmitter) {
  FakeSource source;
  Reader reader(source, {.threads = 2, .most_threads = 4, .buffers = 8});
  constexpr int64_t kSamples = 4000;
  constexpr int kTakers = 4;
  std::atomic<int64_t> submitted{0};
  std::atomic<int64_t> next{0};
  std::vector<std::jthread> takers;
  takers.reserve(kTakers);
  for (int taker = 0; taker < kTakers; ++taker) {
    takers.emplace_back([&] {
      for (int64_t i = next.fetch_add(1); i < kSamples; i = next.fetch_add(1)) {
        while (submitted.load() <= i) {
          std::this_thread::yield();
        }
        expect_sample(reader.take(static_cast<uint64_t>(i)), i);
      }
    });
  }
  for (int64_t i = 0; i < kSamples; ++i) {
    reader.submit(static_cast<uint64_t>(i), i);
    submitted.store(i + 1);
  }
  takers.clear();
  EXPECT_EQ(reader.stats().taken, kSamples);
  EXPECT_LE(source.buffers(), 8U + kTakers);
}

TEST(ReadAhead, UnknownTicketsAreAnswered) {
  FakeSource source;
  Reader reader(source);
  EXPECT_EQ(reader.take(5).status().code(), ErrorCode::InvalidArgument);
  reader.submit(5, 1);
  EXPECT_TRUE(reader.take(5).status().ok());
  EXPECT_EQ(reader.take(5).status().code(), ErrorCode::InvalidArgument);
}

TEST(ReadAhead, CancelFreesTakersAndTickets) {
  FakeSource source;
  source.set_open(false);
  Reader reader(source, {.threads = 1, .most_threads = 1, .buffers = 2});
  reader.submit(1, 1);
  reader.submit(2, 2);
  ErrorCode code = ErrorCode::Ok;
  {
    const std::jthread taker([&] {
      // The thread reads it, or this one does; both wait for the source.
      code = reader.take(1).status().code();
    });
    std::this_thread::sleep_for(milliseconds(20));
    reader.cancel();
    // The same number means another sample now, though the old read is still under way.
    reader.submit(1, 17);
    source.set_open(true);
  }
  EXPECT_TRUE(code == ErrorCode::InvalidArgument || code == ErrorCode::Ok);
  expect_sample(reader.take(1), 17);
  EXPECT_EQ(reader.take(2).status().code(), ErrorCode::InvalidArgument);
}

TEST(ReadAhead, EndsWhileReadsAreUnderWay) {
  for (int round = 0; round < 50; ++round) {
    FakeSource source;
    source.delay = microseconds(100);
    Reader reader(source, {.threads = 1 + round % 4, .buffers = 1 + round % 5});
    for (uint64_t i = 0; i < 20; ++i) {
      reader.submit(i, static_cast<int64_t>(i));
    }
    if (round % 3 == 0) {
      reader.cancel();
    }
    EXPECT_EQ(reader.take(19).status().ok(), round % 3 != 0);
  }
}

TEST(ReadAhead, ThreadsGrowWhileTakersWait) {
  FakeSource source;
  source.delay = microseconds(500);
  Reader reader(source, {.threads = 1, .most_threads = 4, .buffers = 32});
  uint64_t submitted = 0;
  const auto run = [&](int samples, microseconds work) {
    for (uint64_t end = submitted + static_cast<uint64_t>(samples), i = submitted; i < end; ++i) {
      while (submitted < std::min(end, i + 32)) {
        reader.submit(submitted, static_cast<int64_t>(submitted) * 7 * 11 * 13);
        ++submitted;
      }
      EXPECT_TRUE(reader.take(i).status().ok());
      std::this_thread::sleep_for(work);
    }
  };
  run(1000, microseconds(0));
  EXPECT_EQ(reader.stats().threads, 4);
  EXPECT_GT(source.readers(), 2U);
  source.delay = microseconds(0);
  run(64 * 8 * 5, microseconds(50));
  EXPECT_LT(reader.stats().threads, 4);
}

TEST(ReadAhead, BuffersAreUsedAgain) {
  FakeSource source;
  Reader reader(source, {.threads = 2, .most_threads = 2, .buffers = 4});
  for (uint64_t i = 0; i < 1000; ++i) {
    reader.submit(i, 99);
    Reader::Sample first = reader.take(i);
    const Reader::Sample moved = std::move(first);
    EXPECT_EQ(moved.bytes().size(), 99U);
  }
  EXPECT_LE(source.buffers(), 5U);
}

}  // namespace
}  // namespace stoker::io
