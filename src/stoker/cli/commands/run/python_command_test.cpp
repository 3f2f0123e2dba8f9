// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/python_command.h"

#include <gmock/gmock.h>

#include "stoker/cli/commands/run/allow.h"
#include "stoker/core/error.h"

namespace stoker::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(PythonCommandTest, AScriptGetsAnInterpreter) {
  const ProcessPaths paths{.executable = "/nowhere/bin/stoker",
                           .package_env = {},
                           .python_env = "/bin/sh",
                           .search_path = {}};
  EXPECT_THAT(*with_interpreter({"train.py", "--lr", "1"}, paths),
              ElementsAre("/bin/sh", "train.py", "--lr", "1"));
  EXPECT_THAT(*with_interpreter({"python", "train.py"}, paths), ElementsAre("python", "train.py"));
  EXPECT_THAT(*with_interpreter({"bash", "train.sh"}, paths), ElementsAre("bash", "train.sh"));
}

TEST(PythonCommandTest, WithoutAnInterpreterSaysWhatWasTried) {
  const ProcessPaths paths{.executable = "/nowhere/bin/stoker",
                           .package_env = {},
                           .python_env = {},
                           .search_path = "/nowhere"};
  const auto command = with_interpreter({"train.py"}, paths);
  ASSERT_FALSE(command.ok());
  EXPECT_THAT(command.status().message(), HasSubstr("/nowhere/python3"));
}

TEST(PythonCommandTest, FlagsThatKeepStokerOut) {
  EXPECT_THAT(likely_reason({"python", "-I", "x.py"}), HasSubstr("python -I ignores PYTHONPATH"));
  EXPECT_THAT(likely_reason({"/usr/bin/python3", "-u", "-BE", "x.py"}), HasSubstr("python -E"));
  EXPECT_THAT(likely_reason({"python", "-S", "x.py"}), HasSubstr("python -S"));
  EXPECT_THAT(likely_reason({"python", "-W", "ignore", "-I", "x.py"}), HasSubstr("python -I"));
  EXPECT_THAT(likely_reason({"python", "-Wignore", "-I", "x.py"}), HasSubstr("python -I"));
}

TEST(PythonCommandTest, FlagsOfTheScriptAreNotPythons) {
  EXPECT_THAT(likely_reason({"python", "x.py", "-I"}), Not(HasSubstr("python -I")));
  EXPECT_THAT(likely_reason({"python", "-m", "IES", "-E"}), Not(HasSubstr("python -")));
  EXPECT_THAT(likely_reason({"python", "-mIES"}), Not(HasSubstr("python -")));
  EXPECT_THAT(likely_reason({"bash", "-E"}), HasSubstr("no Python process"));
}

TEST(PythonCommandTest, OnlyPythonsOwnFlagsPutItOutOfReach) {
  EXPECT_THAT(out_of_reach({"python", "-S", "x.py"}), HasSubstr("python -S leaves out"));
  EXPECT_EQ(out_of_reach({"python", "x.py", "-S"}), "");
  EXPECT_EQ(out_of_reach({"bash", "-E"}), "");
}

TEST(AllowTest, ExactIsAlwaysIn) {
  EXPECT_THAT(allowed_classes({}), ElementsAre("exact"));
  EXPECT_THAT(allowed_classes({"random", "rounding"}), ElementsAre("exact", "rounding", "random"));
  EXPECT_THAT(allowed_classes({"none"}), IsEmpty());
}

TEST(AllowTest, WrongWordsAreWrongUsage) {
  EXPECT_THROW(allowed_classes({"fast"}), Error);
  EXPECT_THROW(allowed_classes({"none", "exact"}), Error);
}

}  // namespace
}  // namespace stoker::cli
