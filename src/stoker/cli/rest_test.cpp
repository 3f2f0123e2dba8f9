// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/rest.h"

#include <gmock/gmock.h>

namespace stoker::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Command run_command() {
  return {.name = "run",
          .help = "",
          .examples = {},
          .options = {{.name = "out", .help = ""},
                      {.name = "quiet", .kind = ParamKind::Flag, .help = ""}},
          .rest = "CMD"};
}

TEST(SplitRest, OptionsEndAtTheFirstOtherWord) {
  const SplitArgs split =
      split_rest(run_command(), {"--out", "a", "--quiet", "train.py", "--out", "x", "--", "-h"});
  EXPECT_THAT(split.own, ElementsAre("--out", "a", "--quiet"));
  EXPECT_THAT(split.rest, ElementsAre("train.py", "--out", "x", "--", "-h"));
}

TEST(SplitRest, DoubleDashEndsOptionsAndIsTakenOnce) {
  const SplitArgs split = split_rest(run_command(), {"--quiet", "--", "--odd", "--", "b"});
  EXPECT_THAT(split.own, ElementsAre("--quiet"));
  EXPECT_THAT(split.rest, ElementsAre("--odd", "--", "b"));
}

TEST(SplitRest, ValueInTheSameWord) {
  const SplitArgs split = split_rest(run_command(), {"--out=a", "train.py"});
  EXPECT_THAT(split.own, ElementsAre("--out=a"));
  EXPECT_THAT(split.rest, ElementsAre("train.py"));
}

TEST(SplitRest, ValueThatLooksLikeTheEndBelongsToItsOption) {
  const SplitArgs split = split_rest(run_command(), {"--out", "--", "train.py"});
  EXPECT_THAT(split.own, ElementsAre("--out", "--"));
  EXPECT_THAT(split.rest, ElementsAre("train.py"));
}

TEST(SplitRest, NothingLeft) {
  EXPECT_THAT(split_rest(run_command(), {}).rest, IsEmpty());
  EXPECT_THAT(split_rest(run_command(), {"--out"}).own, ElementsAre("--out"));
  EXPECT_THAT(split_rest(run_command(), {"-"}).rest, ElementsAre("-"));
}

TEST(OptionFlag, UnderscoresBecomeDashes) {
  EXPECT_EQ(option_flag({.name = "no_baseline", .help = ""}), "--no-baseline");
}

}  // namespace
}  // namespace stoker::cli
