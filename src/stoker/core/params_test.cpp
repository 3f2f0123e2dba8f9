// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/params.h"

#include <gmock/gmock.h>

#include "stoker/core/error.h"

namespace stoker {
namespace {

using ::testing::ElementsAre;

const ParamSchema kSchema = {
    {.name = "images", .kind = ParamKind::Int, .help = "", .required = true, .min = 1},
    {.name = "size", .kind = ParamKind::Size, .help = "", .fallback = "500x375", .min = 1},
    {.name = "format", .kind = ParamKind::Text, .help = "", .choices = {"jpeg", "png"}},
    {.name = "allow",
     .kind = ParamKind::List,
     .help = "",
     .fallback = "exact",
     .choices = {"exact", "rounding"}},
    {.name = "rate", .kind = ParamKind::Float, .help = "", .min = 0, .max = 1},
    {.name = "tar", .kind = ParamKind::Flag, .help = ""},
};

TEST(Params, GivenValuesAndFallbacks) {
  const Result<ParamMap> map =
      parse_params(kSchema, {{"images", "12"}, {"allow", "rounding,exact"}, {"rate", "0.25"}});
  ASSERT_TRUE(map.ok()) << map.status().message();
  EXPECT_EQ(map->integer("images"), 12);
  EXPECT_EQ(map->size("size"), (SizeValue{500, 375}));
  EXPECT_THAT(map->list("allow"), ElementsAre("rounding", "exact"));
  EXPECT_EQ(map->number("rate"), 0.25);
  EXPECT_FALSE(map->flag("tar"));
  EXPECT_FALSE(map->has("format"));
  EXPECT_EQ(map->text_or_empty("format"), "");
}

std::string failure(const std::map<std::string, std::string>& given) {
  const Result<ParamMap> map = parse_params(kSchema, given);
  EXPECT_FALSE(map.ok());
  EXPECT_EQ(map.status().code(), ErrorCode::InvalidArgument);
  return map.status().message();
}

TEST(Params, MessagesSayWhatWasGivenAndExpected) {
  EXPECT_EQ(failure({{"images", "0"}}), "images: got '0', expected a whole number of at least 1");
  EXPECT_EQ(failure({{"images", "1x"}}), "images: got '1x', expected a whole number of at least 1");
  EXPECT_EQ(failure({}), "images: not given, expected a whole number of at least 1");
  EXPECT_EQ(failure({{"images", "1"}, {"size", "500"}}),
            "size: got '500', expected WIDTHxHEIGHT, such as 500x375, each of at least 1");
  EXPECT_EQ(failure({{"images", "1"}, {"size", "0x5"}}),
            "size: got '0x5', expected WIDTHxHEIGHT, such as 500x375, each of at least 1");
  EXPECT_EQ(failure({{"images", "1"}, {"format", "gif"}}),
            "format: got 'gif', expected one of jpeg, png");
  EXPECT_EQ(failure({{"images", "1"}, {"allow", "exact,all"}}),
            "allow: got 'exact,all', expected one of exact, rounding");
  EXPECT_EQ(failure({{"images", "1"}, {"rate", "nan"}}),
            "rate: got 'nan', expected a number from 0 to 1");
  EXPECT_EQ(failure({{"imags", "1"}}),
            "imags: no such parameter; known: images, size, format, allow, rate, tar");
}

TEST(Params, WrongNameOrKindIsAFaultOfStoker) {
  ParamMap map;
  map.set("n", int64_t{1});
  EXPECT_THROW(map.text("n"), Error);
  EXPECT_THROW(map.integer("m"), Error);
}

}  // namespace
}  // namespace stoker
