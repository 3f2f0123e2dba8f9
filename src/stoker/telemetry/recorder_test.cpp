// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/recorder.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "stoker/telemetry/process_file.h"

namespace stoker::telemetry {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int64_t kMs = 1'000'000;

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    dir = fs::path(testing::TempDir()) / ("stoker_recorder_" + name);
    fs::remove_all(dir);
    fs::create_directories(dir);
    path = (dir / "p.stk").string();
  }
  ~RecorderTest() override { fs::remove_all(dir); }

  std::unique_ptr<Recorder> make(Role role = Role::Main) const {
    Result<std::unique_ptr<Recorder>> made =
        Recorder::create(path, {.pid = 42, .role = role, .rank = 1, .world_size = 2});
    EXPECT_TRUE(made.ok()) << made.status().message();
    return std::move(*made);
  }

  fs::path dir;
  std::string path;
};

void step(Recorder& recorder, int64_t start, int64_t wait, int64_t compute) {
  recorder.next_begin(7, start);
  recorder.next_end(7, 32, start + wait);
  recorder.forward_begin(start + wait);
  recorder.backward_begin(start + wait + compute / 2);
  recorder.backward_end(start + wait + compute);
  recorder.optimizer_begin(1, start + wait + compute);
  recorder.optimizer_end(1, start + wait + compute);
}

TEST_F(RecorderTest, PercentilesAreRightWithinOnePercent) {
  const auto recorder = make();
  std::mt19937 random(3);
  std::lognormal_distribution<double> length(4.0, 1.0);
  std::vector<double> expected;
  int64_t now = 1;
  for (int i = 0; i < 3000; ++i) {
    const auto wait = static_cast<int64_t>(length(random) * kMs);
    step(*recorder, now, wait, 10 * kMs);
    now += wait + 10 * kMs;
    if (i >= 5) {
      expected.push_back(static_cast<double>(wait) / kMs);
    }
  }
  recorder->next_begin(7, now);
  std::sort(expected.begin(), expected.end());

  const Result<ProcessData> data = read_process_file(path);
  ASSERT_TRUE(data.ok());
  const Spread& wait = data->steps.phases[static_cast<size_t>(Phase::DataWait)];
  ASSERT_EQ(wait.count(), 2995);
  for (const double q : {0.1, 0.5, 0.9, 0.99}) {
    const double right = expected[static_cast<size_t>(std::ceil(q * 2995)) - 1];
    EXPECT_NEAR(wait.percentile_ms(q), right, right * 0.01) << q;
  }
  EXPECT_NEAR(data->steps.phases[static_cast<size_t>(Phase::Forward)].percentile_ms(0.5), 5.0,
              0.05);
  EXPECT_EQ(data->steps.samples, 2995 * 32);
}

TEST_F(RecorderTest, WarmupIsKeptOutOfTheStatisticsOnly) {
  const auto recorder = make();
  int64_t now = 1;
  for (int i = 0; i < 8; ++i) {
    const int64_t wait = i < 5 ? 900 * kMs : 10 * kMs;
    step(*recorder, now, wait, 4 * kMs);
    now += wait + 4 * kMs;
  }
  recorder->next_begin(7, now);
  const Result<ProcessData> data = read_process_file(path);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->steps.steps, 8);
  EXPECT_EQ(data->steps.step.count(), 3);
  EXPECT_EQ(data->steps.step.sum_ns(), kMs * 3 * 14);
  ASSERT_THAT(data->steps.recent, SizeIs(8));
  EXPECT_EQ(data->steps.recent[0].start_ns, 1);
  EXPECT_EQ(data->steps.recent[0].length_ns(), 904 * kMs);
  EXPECT_EQ(data->steps.last_end_ns, now);
}

TEST_F(RecorderTest, KeepsTheLastStepsOfALongRun) {
  const auto recorder = make();
  int64_t now = 1;
  for (int i = 0; i < 8192 + 100; ++i) {
    step(*recorder, now, 1000, 1000);
    now += 2000;
  }
  recorder->next_begin(7, now);
  const Result<ProcessData> data = read_process_file(path);
  ASSERT_TRUE(data.ok());
  ASSERT_THAT(data->steps.recent, SizeIs(8191));
  EXPECT_EQ(data->steps.recent.front().start_ns, 1 + 101 * 2000);
  EXPECT_EQ(data->steps.recent.back().start_ns, now - 2000);
}

TEST_F(RecorderTest, FileSizesAreFixed) {
  make();
  const uintmax_t main = fs::file_size(path);
  EXPECT_GT(main, 600'000U);
  EXPECT_LT(main, 700'000U);
  fs::remove(path);
  make(Role::Worker);
  EXPECT_EQ(fs::file_size(path), 4096U);
}

TEST_F(RecorderTest, WorkerKeepsStagesAndCountersAndNoSteps) {
  const auto recorder = make(Role::Worker);
  recorder->add_stage(Stage::Decode, 5 * kMs);
  recorder->add_stage(Stage::Decode, 6 * kMs);
  recorder->add_stage(Stage::Collate, kMs);
  recorder->add_batch(32);
  recorder->add(Counter::ImagesNative, 32);
  recorder->add(Counter::ImagesCompared, 2);
  step(*recorder, 1, kMs, kMs);
  recorder->device_step(1, 1, 1, 1, 1);
  recorder->set_overhead_us_per_step(1.0);

  const Result<ProcessData> data = read_process_file(path);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->info.pid, 42);
  EXPECT_EQ(data->info.role, Role::Worker);
  EXPECT_EQ(data->info.rank, 1);
  EXPECT_THAT(data->work.stage_ns, testing::ElementsAre(0, 11 * kMs, 0, kMs));
  EXPECT_EQ(data->work.batches, 1);
  EXPECT_EQ(data->work.samples, 32);
  EXPECT_EQ(data->work.counters[0], 32);
  EXPECT_EQ(data->work.counters[1], 2);
  EXPECT_EQ(data->steps.steps, 0);
}

TEST_F(RecorderTest, LeverWorkIsKeptWithThePauses) {
  const auto recorder = make();
  step(*recorder, kMs, kMs, 2 * kMs);
  recorder->lever_work_begin(4 * kMs);
  recorder->lever_work_end(34 * kMs);
  step(*recorder, 34 * kMs, kMs, 2 * kMs);
  recorder->next_begin(7, 37 * kMs);
  const Result<ProcessData> data = read_process_file(path);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->steps.pause_ns, 30 * kMs);
  EXPECT_EQ(data->steps.pause_lever_work_ns, 30 * kMs);
  EXPECT_EQ(data->steps.pause_worker_start_ns, 0);
  ASSERT_THAT(data->steps.pauses, SizeIs(1));
  EXPECT_EQ(data->steps.pauses[0].lever_work_ns, 30 * kMs);
  ASSERT_THAT(data->steps.recent, SizeIs(2));
  EXPECT_EQ(data->steps.recent[0].length_ns(), 3 * kMs);
}

TEST_F(RecorderTest, DeviceTimesSkipTheWarmupToo) {
  const auto recorder = make();
  for (int i = 0; i < 7; ++i) {
    recorder->device_step(3 * kMs, 6 * kMs, kMs, 2 * kMs, 12 * kMs);
  }
  const Result<ProcessData> data = read_process_file(path);
  ASSERT_TRUE(data.ok());
  const auto& stall = data->steps.device[static_cast<size_t>(layout::Device::ExposedStall)];
  EXPECT_EQ(stall.count(), 2);
  EXPECT_EQ(stall.sum_ns(), 4 * kMs);
}

TEST_F(RecorderTest, AReaderMayReadWhileItGrows) {
  const auto recorder = make();
  std::atomic<bool> done{false};
  std::thread reader([&] {
    int64_t seen = 0;
    while (!done) {
      const Result<ProcessData> data = read_process_file(path);
      ASSERT_TRUE(data.ok());
      EXPECT_GE(data->steps.steps, seen);
      seen = data->steps.steps;
      for (const StepRecord& record : data->steps.recent) {
        ASSERT_EQ(record.length_ns(), 2000);
      }
    }
  });
  int64_t now = 1;
  for (int i = 0; i < 30'000; ++i) {
    step(*recorder, now, 1000, 1000);
    now += 2000;
  }
  done = true;
  reader.join();
}

TEST_F(RecorderTest, ADiskThatIsFullIsAStatus) {
  // A limit on the size of files fails posix_fallocate as a full disk does.
  struct rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small{.rlim_cur = 8192, .rlim_max = old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto made = Recorder::create(path, {});
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), ErrorCode::IoError);
  EXPECT_THAT(made.status().message(), HasSubstr("cannot reserve space for"));
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(RecorderTest, AFolderThatIsMissingIsAStatus) {
  const auto made = Recorder::create((dir / "none" / "p.stk").string(), {});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.status().message(), HasSubstr("No such file or directory"));
}

TEST_F(RecorderTest, FilesThatAreCutOrForeignAreCorrupt) {
  make();
  for (const uintmax_t size : {uintmax_t{300'000}, uintmax_t{4096}, uintmax_t{100}, uintmax_t{0}}) {
    fs::resize_file(path, size);
    EXPECT_EQ(read_process_file(path).status().code(), ErrorCode::Corrupt) << size;
  }
  std::ofstream(path) << std::string(10'000, 'x');
  EXPECT_EQ(read_process_file(path).status().code(), ErrorCode::Corrupt);
  EXPECT_EQ(read_process_file((dir / "none").string()).status().code(), ErrorCode::IoError);
}

}  // namespace
}  // namespace stoker::telemetry
