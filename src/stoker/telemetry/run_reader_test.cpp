// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/run_reader.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "stoker/telemetry/recorder.h"

namespace stoker::telemetry {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

TEST(RunReaderTest, SameFaultsAreCountedAndCutLinesLeftOut) {
  RunData run;
  read_fault_lines(
      "{\"where\":\"hook\",\"error\":\"boom\",\"pid\":1}\n"
      "{\"where\":\"hook\",\"error\":\"boom\",\"pid\":2}\n"
      "not json\n[1]\n{}\n"
      "{\"where\":\"pil\",\"error\":\"other\",\"pid\":1}\n"
      "{\"where\":\"hook\",\"err",
      run);
  ASSERT_THAT(run.faults, SizeIs(2));
  EXPECT_EQ(run.faults[0].where, "hook");
  EXPECT_EQ(run.faults[0].error, "boom");
  EXPECT_EQ(run.faults[0].count, 2);
  EXPECT_EQ(run.faults[1].count, 1);
}

TEST(RunReaderTest, MergesAFolder) {
  const fs::path dir = fs::path(testing::TempDir()) / "stoker_run_reader_folder";
  fs::remove_all(dir);
  fs::create_directories(dir / "processes");
  const auto make = [&](const char* name, Role role, int rank) {
    return std::move(*Recorder::create((dir / "processes" / name).string(),
                                       {.pid = 1, .role = role, .rank = rank, .world_size = 2}));
  };
  make("a.stk", Role::Main, 1);
  make("b.stk", Role::Main, 0);
  make("c.stk", Role::Worker, 0)->add_stage(Stage::Read, 5);
  make("d.stk", Role::Worker, 1)->add_stage(Stage::Read, 6);
  std::ofstream(dir / "processes" / "e.stk") << "garbage";
  std::ofstream(dir / "processes" / "f.txt") << "of no interest";

  const RunData run = read_run(dir.string());
  ASSERT_THAT(run.mains, SizeIs(2));
  EXPECT_EQ(run.mains[0].info.rank, 0);
  EXPECT_EQ(run.mains[1].info.rank, 1);
  EXPECT_EQ(run.workers.processes, 2);
  EXPECT_EQ(run.workers.stage_ns[0], 11);
  ASSERT_THAT(run.faults, SizeIs(1));
  EXPECT_THAT(run.faults[0].error, HasSubstr("e.stk: not a whole process file"));
  fs::remove_all(dir);
}

TEST(RunReaderTest, AFolderThatIsMissingIsAnEmptyRun) {
  const RunData run = read_run("/nonexistent/stoker");
  EXPECT_THAT(run.mains, SizeIs(0));
  EXPECT_THAT(run.faults, SizeIs(0));
}

}  // namespace
}  // namespace stoker::telemetry
