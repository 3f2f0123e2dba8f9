// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/config.h"

#include <gmock/gmock.h>

#include "stoker/core/error.h"

namespace stoker {
namespace {

using ::testing::ElementsAre;

const ParamSchema kRun = {
    {.name = "allow", .kind = ParamKind::List, .help = ""},
    {.name = "keep", .kind = ParamKind::Int, .help = "", .fallback = "20", .min = 1},
    {.name = "scale", .kind = ParamKind::Float, .help = ""},
    {.name = "quiet", .kind = ParamKind::Flag, .help = ""},
    {.name = "out", .kind = ParamKind::Text, .help = ""},
};

std::string failure(std::string_view toml) {
  try {
    Config::parse(toml, "stoker.toml").section("run", kRun);
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "no failure";
}

TEST(Config, ReadsTypedValues) {
  const Config config = Config::parse(
      "[run]\nallow = ['exact', 'rounding']\nscale = 2.5\nquiet = true\nout = 'a b'\n"
      "[lever.pil]\ncheck = 8\n",
      "stoker.toml");
  const ParamMap run = config.section("run", kRun);
  EXPECT_THAT(run.list("allow"), ElementsAre("exact", "rounding"));
  EXPECT_EQ(run.integer("keep"), 20);
  EXPECT_EQ(run.number("scale"), 2.5);
  EXPECT_TRUE(run.flag("quiet"));
  EXPECT_EQ(run.text("out"), "a b");
  EXPECT_THAT(config.section_names(), ElementsAre("lever.pil", "run"));
  EXPECT_EQ(config.section("lever.pil", {{.name = "check", .kind = ParamKind::Int, .help = ""}})
                .integer("check"),
            8);
}

TEST(Config, MessagesNameTheLine) {
  EXPECT_EQ(failure("[run]\n\nkeep = 0\n"),
            "stoker.toml:3: run.keep: got '0', expected a whole number of at least 1 | "
            "correct or remove this line");
  EXPECT_EQ(failure("[run]\nquite = true\n"),
            "stoker.toml:2: run.quite: no such parameter; known: allow, keep, scale, quiet, out | "
            "correct or remove this line");
  EXPECT_THAT(failure("[run]\nkeep = \n"), ::testing::StartsWith("stoker.toml:2: "));
  EXPECT_THAT(failure("[run]\nout = 2020-01-01\n"),
              ::testing::StartsWith("stoker.toml:2: run.out: a date, a time"));
}

TEST(Config, AFileThatIsNotThereIsNamed) {
  try {
    Config::read("no/such/stoker.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotFound);
    EXPECT_STREQ(error.what(), "cannot read 'no/such/stoker.toml': No such file or directory");
  }
}

}  // namespace
}  // namespace stoker
