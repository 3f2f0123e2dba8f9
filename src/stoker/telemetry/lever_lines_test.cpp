// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/lever_lines.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace stoker::telemetry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A line of process `pid`: on, or not on for a reason.
std::string line(int pid, const std::string& id, const std::string& reason = "",
                 const std::string& detail = "") {
  return fmt::format(
      R"({{"id":"{}","class":"rounding","applied":{},"reason":"{}","detail":"{}","pid":{}}})"
      "\n",
      id, reason.empty(), reason, detail, pid);
}

// Ranks 0, 1, ... trained, with process ids 100, 101, ...
RunData run_of(int ranks) {
  RunData run;
  for (int rank = 0; rank < ranks; ++rank) {
    ProcessData main;
    main.info = {.pid = 100 + rank, .role = Role::Main, .rank = rank, .world_size = ranks};
    main.steps.steps = 10;
    run.mains.push_back(main);
  }
  return run;
}

TEST(LeverLinesTest, LeversOfSeveralProcessesAreOneAndAppliedWins) {
  RunData run;
  read_lever_lines(
      R"({"id":"pil","class":"exact","applied":false,"reason":"no Pillow","pid":1})"
      "\n"
      R"({"id":"pil","class":"exact","applied":true,"reason":"JPEG","detail":"d","pid":2})"
      "\n"
      R"({"id":"pil","class":"exact","applied":false,"reason":"again","pid":3})"
      "\n{\"class\":\"exact\"}\n",
      run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_TRUE(run.levers[0].applied);
  EXPECT_EQ(run.levers[0].change_class, "exact");
  EXPECT_EQ(run.levers[0].reason, "JPEG");
  EXPECT_EQ(run.levers[0].detail, "d");
}

TEST(LeverLinesTest, TheLastWordOfAProcessAboutALeverCounts) {
  RunData run;
  read_lever_lines(
      R"({"id":"compile","class":"rounding","applied":true,"reason":"","pid":1})"
      "\n"
      R"({"id":"compile","class":"rounding","applied":false,"reason":"taken off","pid":1})"
      "\n",
      run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_FALSE(run.levers[0].applied);
  EXPECT_EQ(run.levers[0].reason, "taken off");
}

TEST(LeverLinesTest, RanksThatAgreeAreOneWord) {
  RunData run = run_of(2);
  read_lever_lines(line(101, "tf32", "", "b") + line(100, "tf32", "", "a") +
                       line(100, "bf16", "no GPU") + line(101, "bf16", "no GPU"),
                   run);
  ASSERT_THAT(run.levers, SizeIs(2));
  EXPECT_TRUE(run.levers[0].applied);
  EXPECT_EQ(run.levers[0].reason, "");
  EXPECT_EQ(run.levers[0].detail, "a");
  EXPECT_THAT(run.levers[0].ranks, IsEmpty());
  EXPECT_FALSE(run.levers[1].applied);
  EXPECT_EQ(run.levers[1].reason, "no GPU");
}

TEST(LeverLinesTest, RanksThatDisagreeAreToldApart) {
  for (const bool first_is_last : {false, true}) {
    RunData run = run_of(2);
    const std::string on = line(100, "compile", "", "default");
    const std::string off = line(101, "compile", "no Triton");
    read_lever_lines(first_is_last ? off + on : on + off, run);
    ASSERT_THAT(run.levers, SizeIs(1));
    EXPECT_TRUE(run.levers[0].applied);
    EXPECT_THAT(run.levers[0].ranks, ElementsAre(0));
    EXPECT_EQ(run.levers[0].reason, "not on rank 1: no Triton");
    EXPECT_EQ(run.levers[0].detail, "default");
  }
}

TEST(LeverLinesTest, ALastWordOfOneRankIsADisagreement) {
  RunData run = run_of(2);
  read_lever_lines(line(100, "compile") + line(101, "compile") + line(100, "compile", "NaN"), run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_THAT(run.levers[0].ranks, ElementsAre(1));
  EXPECT_EQ(run.levers[0].reason, "not on rank 0: NaN");
}

TEST(LeverLinesTest, ARankThatSaidNothingIsNamed) {
  RunData run = run_of(6);
  read_lever_lines(line(105, "compile") + line(104, "compile", "NaN"), run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_THAT(run.levers[0].ranks, ElementsAre(5));
  EXPECT_EQ(run.levers[0].reason, "not on rank 4: NaN; not on ranks 0-3: nothing was said");
}

TEST(LeverLinesTest, ReasonsOfRanksAreAllTold) {
  RunData run = run_of(5);
  read_lever_lines(line(100, "compile", "a") + line(101, "compile", "b") +
                       line(102, "compile", "c") + line(103, "compile", "d") +
                       line(104, "compile", "b"),
                   run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_FALSE(run.levers[0].applied);
  EXPECT_THAT(run.levers[0].ranks, IsEmpty());
  EXPECT_EQ(run.levers[0].reason, "rank 0: a; ranks 1, 4: b; rank 2: c; and 1 more reasons");
}

// A launcher, a loader worker and a second script of rank 0 are no other ranks.
TEST(LeverLinesTest, ProcessesThatTrainNothingDoNotDisagree) {
  RunData run = run_of(2);
  ProcessData second;
  second.info = {.pid = 300, .role = Role::Main, .rank = 0, .world_size = 1};
  run.mains.push_back(second);
  read_lever_lines(line(200, "compile", "a worker") + line(300, "compile", "no model") +
                       line(100, "compile") + line(101, "compile"),
                   run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_TRUE(run.levers[0].applied);
  EXPECT_EQ(run.levers[0].reason, "");
  EXPECT_THAT(run.levers[0].ranks, IsEmpty());
}

TEST(LeverLinesTest, WhatWorkersAppliedCountsWhereNoRankDid) {
  RunData run = run_of(1);
  read_lever_lines(line(100, "native_decoding", "no Pillow") + line(200, "native_decoding"), run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_TRUE(run.levers[0].applied);
}

TEST(LeverLinesTest, PlannedIsOnToo) {
  RunData run = run_of(2);
  read_lever_lines(R"({"id":"bf16","class":"precision","applied":false,"planned":true,"pid":100})"
                   "\n" +
                       line(101, "bf16", "no GPU"),
                   run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_TRUE(run.levers[0].planned);
  EXPECT_FALSE(run.levers[0].applied);
  EXPECT_THAT(run.levers[0].ranks, ElementsAre(0));
}

TEST(LeverLinesTest, ALastLineThatIsCutShortIsLeftOutAndSaid) {
  const std::string taken_off = line(100, "compile", "taken off");
  for (size_t length = 2; length + 2 < taken_off.size(); ++length) {
    RunData run = run_of(1);
    read_lever_lines(line(100, "compile") + taken_off.substr(0, length), run);
    ASSERT_THAT(run.levers, SizeIs(1));
    EXPECT_TRUE(run.levers[0].applied);
    ASSERT_THAT(run.faults, SizeIs(1)) << length;
    EXPECT_EQ(run.faults[0].where, "levers.jsonl");
  }
}

TEST(LeverLinesTest, WhatFollowsACutLineIsFound) {
  RunData run = run_of(2);
  read_lever_lines(line(100, "compile").substr(0, 25) + line(101, "tf32") + line(100, "tf32"), run);
  ASSERT_THAT(run.levers, SizeIs(1));
  EXPECT_EQ(run.levers[0].id, "tf32");
  EXPECT_TRUE(run.levers[0].applied);
  EXPECT_THAT(run.levers[0].ranks, IsEmpty());
  EXPECT_THAT(run.faults, SizeIs(1));
}

TEST(LeverLinesTest, WhatIsNoneOfOursIsNoFault) {
  RunData run;
  read_lever_lines("not json\n[1]\n\xff\xfe{\n{}\n{\"id\":3}\n{\"id\":\"x\"}\n", run);
  EXPECT_THAT(run.levers, IsEmpty());
  EXPECT_THAT(run.faults, IsEmpty());
}

TEST(LeverLinesTest, RanksAsText) {
  EXPECT_EQ(ranks_text({3}), "rank 3");
  EXPECT_EQ(ranks_text({0, 1}), "ranks 0, 1");
  EXPECT_EQ(ranks_text({0, 1, 2, 3, 6, 8, 9}), "ranks 0-3, 6, 8, 9");
}

}  // namespace
}  // namespace stoker::telemetry
