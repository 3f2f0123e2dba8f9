// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/run_report.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <memory>

#include "stoker/telemetry/recorder.h"
#include "stoker/telemetry/run_json.h"
#include "stoker/telemetry/run_reader.h"
#include "stoker/telemetry/trace.h"

namespace stoker::telemetry {
namespace {

namespace fs = std::filesystem;
using testing::SizeIs;

constexpr int64_t kMs = 1'000'000;

// A run whose every step waits 40 ms, computes 20 + 30, optimizes 8 and does 2 ms of its own.
class RunReportTest : public testing::Test {
 protected:
  RunReportTest() {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    dir = fs::path(testing::TempDir()) / ("stoker_report_" + name);
    fs::remove_all(dir);
    fs::create_directories(dir / "processes");
  }
  ~RunReportTest() override { fs::remove_all(dir); }

  std::unique_ptr<Recorder> recorder(const std::string& name, Role role, int rank) const {
    return std::move(
        *Recorder::create((dir / "processes" / (name + ".stk")).string(),
                          {.pid = 100 + rank, .role = role, .rank = rank, .world_size = 2}));
  }

  static void train(Recorder& recorder, int steps) {
    int64_t now = 1'000 * kMs;
    for (int i = 0; i < steps; ++i) {
      recorder.next_begin(7, now);
      recorder.next_end(7, 32, now += 40 * kMs);
      recorder.forward_begin(now);
      recorder.backward_begin(now += 20 * kMs);
      recorder.backward_end(now += 30 * kMs);
      recorder.optimizer_begin(1, now);
      recorder.optimizer_end(1, now += 8 * kMs);
      now += 2 * kMs;
    }
    recorder.next_begin(7, now);
    recorder.next_end(7, -1, now);
  }

  RunReport report() const {
    RunContext context;
    context.command = {"python", "train.py"};
    context.started_wall_ns = 1'000 * kMs;
    context.ended_wall_ns = 4'500 * kMs;
    context.allow = {"exact"};
    return make_report(read_run(dir.string()), context);
  }

  fs::path dir;
};

TEST_F(RunReportTest, OneProcess) {
  const auto main = recorder("main", Role::Main, 0);
  train(*main, 25);
  main->set_overhead_us_per_step(14.0);
  const RunReport run = report();
  EXPECT_TRUE(run.attached);
  EXPECT_EQ(run.steps, 25);
  EXPECT_EQ(run.warmup, 5);
  EXPECT_NEAR(run.step_median_ms, 100, 1);
  EXPECT_DOUBLE_EQ(run.samples_per_s, 320);
  EXPECT_EQ(run.phases.size(), 7U);
  EXPECT_EQ(run.phases[0].name, "data_wait");
  EXPECT_DOUBLE_EQ(*run.phases[0].share, 0.40);
  EXPECT_NEAR(*run.phases[0].median_ms, 40, 0.4);
  EXPECT_FALSE(run.phases[1].share.has_value());  // transfer: no hook sees it
  EXPECT_DOUBLE_EQ(*run.phases[6].share, 0.02);
  EXPECT_EQ(run.verdict.kind, "input");
  EXPECT_DOUBLE_EQ(*run.overhead_us_per_step, 14.0);
  EXPECT_FALSE(run.exposed_stall_share.has_value());
  EXPECT_DOUBLE_EQ(run.duration_ms(), 3500);
}

TEST_F(RunReportTest, RanksWorkAtTheSameTime) {
  const auto first = recorder("a", Role::Main, 0);
  const auto second = recorder("b", Role::Main, 1);
  train(*first, 25);
  train(*second, 25);
  const RunReport run = report();
  ASSERT_THAT(run.ranks, SizeIs(2));
  EXPECT_EQ(run.ranks[1].rank, 1);
  EXPECT_EQ(run.ranks[1].pid, 101);
  EXPECT_EQ(run.steps, 25);
  EXPECT_DOUBLE_EQ(run.samples_per_s, 640);
}

TEST_F(RunReportTest, AProcessWithoutStepsDoesNotSpeakForTheRun) {
  const auto idle = recorder("a", Role::Main, 0);
  const auto busy = recorder("b", Role::Main, 0);
  train(*busy, 25);
  const RunReport run = report();
  ASSERT_THAT(run.ranks, SizeIs(1));
  EXPECT_EQ(run.steps, 25);
  EXPECT_EQ(run.verdict.kind, "input");
}

TEST_F(RunReportTest, WorkIsSummedOverWorkersAndMainProcess) {
  const auto main = recorder("main", Role::Main, 0);
  const auto worker = recorder("worker", Role::Worker, 0);
  for (Recorder* one : {main.get(), worker.get()}) {
    one->add_stage(Stage::Read, 2 * kMs);
    one->add_stage(Stage::Decode, 6 * kMs);
    one->add_batch(32);
    one->add(Counter::ImagesNative, 32);
  }
  const RunReport run = report();
  EXPECT_EQ(run.worker_processes, 1);
  ASSERT_THAT(run.stages, SizeIs(4));
  EXPECT_DOUBLE_EQ(run.stages[1].share, 0.75);
  EXPECT_DOUBLE_EQ(run.stages[1].ms, 6);
  EXPECT_EQ(run.counter(Counter::ImagesNative), 64);
}

TEST_F(RunReportTest, DeviceTimesComeBesideThoseOfTheHost) {
  const auto main = recorder("main", Role::Main, 0);
  train(*main, 25);
  for (int i = 0; i < 25; ++i) {
    main->device_step(18 * kMs, 27 * kMs, 4 * kMs, 30 * kMs, 80 * kMs);
  }
  const RunReport run = report();
  EXPECT_NEAR(run.step_median_ms, 80, 1);
  EXPECT_EQ(run_json(run)["steps"]["clock"].text(), "device");
  ASSERT_THAT(run.phases, SizeIs(10));
  EXPECT_EQ(run.phases[7].name, "forward");
  EXPECT_EQ(run.phases[7].clock, "device");
  EXPECT_DOUBLE_EQ(*run.phases[7].share, 0.225);
  EXPECT_DOUBLE_EQ(*run.phases[7].mean_ms, 18);
  EXPECT_DOUBLE_EQ(*run.exposed_stall_share, 0.375);
}

TEST_F(RunReportTest, NothingAtAll) {
  const RunReport run = report();
  EXPECT_FALSE(run.attached);
  EXPECT_EQ(run.verdict.kind, "unclear");
  const Json json = run_json(run);
  EXPECT_TRUE(json["steps"]["step_ms"]["median"].is_null());
  EXPECT_EQ(json["phases"].items().size(), 7U);
}

TEST_F(RunReportTest, JsonHasWhatTheContractNames) {
  const auto main = recorder("main", Role::Main, 0);
  train(*main, 25);
  RunReport run = report();
  run.levers = {{.id = "native_decoding",
                 .change_class = "exact",
                 .applied = true,
                 .reason = "r",
                 .detail = "d"}};
  run.errors = {{.where = "hook", .error = "boom", .count = 2}};
  const Json json = run_json(run);
  EXPECT_EQ(json["schema"].text(), "stoker.run/1");
  EXPECT_EQ(json["command"].items()[1].text(), "train.py");
  EXPECT_EQ(json["started"].text(), "1970-01-01T00:00:01.000Z");
  EXPECT_EQ(json["steps"]["count"].integer(), 25);
  EXPECT_NEAR(json["steps"]["step_ms"]["p99"].number(), 100, 1);
  EXPECT_EQ(json["phases"].items()[0]["clock"].text(), "host");
  EXPECT_DOUBLE_EQ(json["phases"].items()[2]["mean_ms"].number(), 20);
  EXPECT_TRUE(json["phases"].items()[1]["median_ms"].is_null());
  EXPECT_TRUE(json["phases"].items()[1]["mean_ms"].is_null());
  EXPECT_TRUE(json["exposed_stall_share"].is_null());
  EXPECT_TRUE(json["levers"].items()[0]["applied"].boolean());
  EXPECT_EQ(json["verdict"]["kind"].text(), "input");
  EXPECT_EQ(json["errors"].items()[0]["count"].integer(), 2);
}

TEST_F(RunReportTest, JsonOfADryRunSaysWhatIsPlanned) {
  RunReport run = report();
  run.levers = {{.id = "compile", .change_class = "rounding", .planned = true}};
  EXPECT_FALSE(run_json(run)["dry_run"].boolean(true));
  EXPECT_TRUE(run_json(run)["levers"].items()[0]["planned"].is_null());
  EXPECT_TRUE(run_json(run)["levers"].items()[0]["ranks"].is_null());
  run.levers[0].ranks = {0, 2};
  EXPECT_EQ(run_json(run)["levers"].items()[0]["ranks"].items()[1].integer(), 2);
  run.context.dry_run = true;
  EXPECT_TRUE(run_json(run)["dry_run"].boolean());
  EXPECT_TRUE(run_json(run)["levers"].items()[0]["planned"].boolean());
  EXPECT_FALSE(run_json(run)["levers"].items()[0]["applied"].boolean(true));
}

TEST_F(RunReportTest, JsonTellsLeverWorkApart) {
  const auto main = recorder("main", Role::Main, 0);
  train(*main, 2);  // ends in a pause
  main->lever_work_begin(2'000 * kMs);
  main->lever_work_end(3'000 * kMs);
  main->optimizer_end(1, 3'500 * kMs);
  main->optimizer_end(1, 3'600 * kMs);
  const Json json = run_json(report());
  ASSERT_THAT(json["pauses"].items(), SizeIs(1));
  EXPECT_EQ(json["pauses"].items()[0]["kind"].text(), "lever_work");
  EXPECT_DOUBLE_EQ(json["pauses"].items()[0]["ms"].number(), 2300);
  EXPECT_DOUBLE_EQ(json["pauses"].items()[0]["lever_work_ms"].number(), 1000);
  EXPECT_DOUBLE_EQ(json["pauses_total"]["lever_work_ms"].number(), 1000);
}

TEST_F(RunReportTest, TraceHoldsEachStepWithItsPhases) {
  const auto main = recorder("main", Role::Main, 0);
  train(*main, 2);
  const Result<Json> trace = Json::parse(trace_json(read_run(dir.string())));
  ASSERT_TRUE(trace.ok());
  const Json::Array& events = (*trace)["traceEvents"].items();
  ASSERT_THAT(events, SizeIs(4 + 2 * (1 + 5)));
  EXPECT_EQ(events[4]["name"].text(), "step");
  EXPECT_DOUBLE_EQ(events[4]["ts"].number(), 1'000'000);
  EXPECT_DOUBLE_EQ(events[4]["dur"].number(), 100'000);
  EXPECT_EQ(events[6]["name"].text(), "forward");
  EXPECT_DOUBLE_EQ(events[6]["ts"].number(), 1'040'000);
  EXPECT_DOUBLE_EQ(events[6]["dur"].number(), 20'000);
}

}  // namespace
}  // namespace stoker::telemetry
