// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace stoker {
namespace {

TEST(Json, WritesMembersInOrder) {
  Json json = Json::object({{"schema", "stoker.x/1"}, {"n", 3}, {"share", 0.25}});
  json.set("list", Json::array({1, "two", Json(), true})).set("n", 4);
  EXPECT_EQ(json.dump(-1),
            R"({"schema":"stoker.x/1","n":4,"share":0.25,"list":[1,"two",null,true]})");
}

TEST(Json, EmptyContainersKeepTheirKind) {
  EXPECT_EQ(Json::object().dump(-1), "{}");
  EXPECT_EQ(Json::array().dump(-1), "[]");
  EXPECT_EQ(Json().dump(-1), "null");
}

TEST(Json, EscapesAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(Json("a\"\n\x01").dump(-1), R"("a\"\n\u0001")");
  EXPECT_EQ(Json("\xff").dump(-1), "\"\xEF\xBF\xBD\"");
}

TEST(Json, NotFiniteIsNull) {
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(-1), "null");
}

TEST(Json, ParsesWhatItWrote) {
  const std::string text = R"({"a":[1,2.5,"x",false,null,{}],"b":{"c":-7}})";
  const Result<Json> json = Json::parse(text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->dump(-1), text);
  EXPECT_EQ((*json)["a"].items()[0].number(), 1);
  EXPECT_EQ((*json)["b"]["c"].integer(), -7);
  EXPECT_EQ((*json)["b"]["missing"]["deeper"].text("none"), "none");
}

TEST(Json, NestedTooDeepIsCorrupt) {
  const auto nested = [](size_t depth) {
    return Json::parse(std::string(depth, '[') + std::string(depth, ']'));
  };
  EXPECT_EQ(nested(100)->dump(-1).size(), 200);
  EXPECT_EQ(nested(100'000).status().code(), ErrorCode::Corrupt);
}

TEST(Json, BadTextIsCorrupt) {
  EXPECT_EQ(Json::parse("{\"a\":").status().code(), ErrorCode::Corrupt);
}

}  // namespace
}  // namespace stoker
