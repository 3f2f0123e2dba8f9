// SPDX-License-Identifier: Apache-2.0
#include "stoker/pipeline/transform_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stoker/core/error.h"

namespace stoker::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string failure(const char* text) {
  try {
    parse_transforms(text);
  } catch (const Error& error) {
    EXPECT_FALSE(error.hint().empty()) << text;
    return error.what();
  }
  return "no failure";
}

TEST(TransformText, NamesAndPositions) {
  const auto specs = parse_transforms("RandomResizedCrop(224, scale=(0.5, 1)) ,Resize(size = 8)");
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0].name, "RandomResizedCrop");
  EXPECT_THAT(specs[0].params, ElementsAre(Pair("scale", "0.5,1"), Pair("size", "224")));
  EXPECT_EQ(specs[1].name, "Resize");
  EXPECT_THAT(specs[1].params, ElementsAre(Pair("size", "8")));
}

TEST(TransformText, AsAScriptHasThem) {
  const auto specs = parse_transforms(
      "T.Resize([256, 200,], interpolation=T.InterpolationMode.BICUBIC) |\n"
      "transforms.RandomHorizontalFlip(p=1e-3,)| ToTensor | Resize(7, 'box')");
  ASSERT_EQ(specs.size(), 4U);
  EXPECT_THAT(specs[0].params,
              ElementsAre(Pair("interpolation", "bicubic"), Pair("size", "256,200")));
  EXPECT_THAT(specs[1].params, ElementsAre(Pair("p", "1e-3")));
  EXPECT_EQ(specs[2].name, "ToTensor");
  EXPECT_THAT(specs[2].params, IsEmpty());
  EXPECT_THAT(specs[3].params, ElementsAre(Pair("interpolation", "box"), Pair("size", "7")));
}

TEST(TransformText, TruthAndNothing) {
  const auto specs = parse_transforms("ToDtype(scale=True), CenterCrop(None, size=3)");
  EXPECT_THAT(specs[0].params, ElementsAre(Pair("scale", "true")));
  EXPECT_THAT(specs[1].params, ElementsAre(Pair("size", "3")));
}

TEST(TransformText, FailuresShowThePlace) {
  EXPECT_EQ(failure(""), "transforms end where the name of a transform is expected");
  EXPECT_EQ(failure("Resize(8),"), "transforms end where the name of a transform is expected");
  EXPECT_EQ(failure("Resize(8"), "transforms end where ',' or ')' is expected");
  EXPECT_EQ(failure("Resize(8 9)"), "transforms have '9)' where ',' or ')' is expected");
  EXPECT_EQ(failure("Resize(8) Resize(9)"),
            "transforms have 'Resize(9)' where ',' or '|' before the next transform is expected");
  EXPECT_EQ(failure("Resize(size=)"), "transforms have ')' where a value is expected");
  EXPECT_EQ(failure("Resize((8, 9)"), "transforms end where ',' or ')' is expected");
  EXPECT_EQ(failure("Resize([8; 9])"), "transforms have '; 9])' where ',' or ']' is expected");
  EXPECT_EQ(failure("Resize(8, 'box)"), "transforms have 'box)' where a closing ' is expected");
  EXPECT_EQ(failure("Resize(8, size=9)"), "Resize: size is given twice");
  EXPECT_THAT(failure("Resized(8)"), HasSubstr("no transform is called 'Resized'"));
  EXPECT_THAT(failure("ToTensor(8)"), HasSubstr("ToTensor has 0 parameters"));
}

TEST(TransformText, TextOfSpecsGivesThemAgain) {
  const std::string text =
      "RandomResizedCrop(scale=(0.5,1), size=224), ToTensor(), "
      "Normalize(mean=(0.5,0.4,0.3), std=(1,1,1))";
  EXPECT_EQ(transforms_text(parse_transforms(text)), text);
}

}  // namespace
}  // namespace stoker::pipeline
