// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/member_names.h"

#include <gtest/gtest.h>

#include <set>

#include "stoker/core/error.h"
#include "stoker/io/list_source.h"

namespace stoker::pack {
namespace {

TEST(MemberName, IsWhatReadersSplitAtTheFirstDot) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"c0/00001.jpg", "c0/00001", "jpg"},
      {"v1.0/x.y/a.b.c.JPEG", "v1.0/x.y/a_b_c", "JPEG"},
      {"a/.jpg", "a/_", "jpg"},
      {"a/..png", "a/_", "png"},
      {"__init__/1.jpg", "-__init__/1", "jpg"},
      {"a/__b__/1.jpg", "a/__b__/1", "jpg"},
      {"__a__.jpg", "-__a__", "jpg"},
      {"sub/000.tar:n0/1.jpg", "sub/000/n0/1", "jpg"},
      {"000.TAR:1.seg.png", "000/1_seg", "png"},
      {"caf\xC3\xA9/\xFF.webp", "caf\xC3\xA9/\xFF", "webp"},
  };
  for (const auto& [name, key, extension] : cases) {
    const MemberName made = member_name_of(name);
    EXPECT_EQ(made.key, key) << name;
    EXPECT_EQ(made.extension, extension) << name;
  }
  EXPECT_THROW(member_name_of("a.b/1"), Error);
  EXPECT_THROW(member_name_of("a/1."), Error);
}

TEST(MemberNames, NoTwoSamplesShareAKey) {
  const auto source = io::make_list_source(
      {"/s/a/1.jpg", "/s/a/1.png", "/s/a/1.x.jpg", "/s/a/1_x.jpg", "/s/b/1.jpg"}, {0, 0, 0, 0, 1},
      {.index = ""});
  const MemberNames names(*source);
  EXPECT_EQ(names.of(0).key, "a/1");
  EXPECT_EQ(names.of(1).key, "a/1~1");
  EXPECT_EQ(names.of(2).key, "a/1_x");
  EXPECT_EQ(names.of(3).key, "a/1_x~3");
  EXPECT_EQ(names.of(4).key, "b/1");
}

TEST(MemberNames, NamesThatCannotBeMadeDistinctAreRefused) {
  const auto source =
      io::make_list_source({"/s/a/1.jpg", "/s/a/1.png", "/s/a/1~1.jpg"}, {0, 0, 0}, {.index = ""});
  EXPECT_THROW(MemberNames{*source}, Error);
}

}  // namespace
}  // namespace stoker::pack
