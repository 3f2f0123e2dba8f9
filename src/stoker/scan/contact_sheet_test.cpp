// SPDX-License-Identifier: Apache-2.0
#include "stoker/scan/contact_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/core/error.h"
#include "stoker/pipeline/render.h"
#include "stoker/pipeline/testing/memory_source.h"
#include "stoker/pipeline/transform_text.h"

namespace stoker::scan {
namespace {

using pipeline::MemorySource;
using pipeline::parse_transforms;

// A picture of 2 x 2, and broken for everything but "two".
class FakeReference : public Reference {
 public:
  Result<ImageFacts> judge(codec::Bytes /*file*/, bool /*with_sums*/) override {
    return Status(ErrorCode::Internal, "not asked for");
  }
  Result<ImageFacts> decode(codec::Bytes file, std::vector<uint8_t>& rgb) override {
    if (std::string(file.begin(), file.end()) != "two") {
      return Status(ErrorCode::Corrupt, "no image");
    }
    rgb = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    return ImageFacts{.width = 2, .height = 2, .channels = 3, .sums = {}};
  }
};

SheetOptions options(const char* transforms) {
  return {.transforms = parse_transforms(transforms),
          .columns = 2,
          .shuffle = false,
          .make_reference = [] { return std::make_unique<FakeReference>(); }};
}

std::vector<std::vector<uint8_t>> files() {
  return {codec::testing::encode({.width = 16, .height = 16}), {'t', 'w', 'o'}, {'n', 'o'}, {}};
}

// The pixels of a cell, packed.
std::vector<uint8_t> cell(ContactSheet& sheet, int32_t row, int32_t column) {
  const int32_t text = 2 * 7;  // of two lines of five dots
  const int32_t top = 4 + row * (sheet.sample_height + text + 4);
  const int32_t left = 4 + column * (sheet.sample_width + 4);
  std::vector<uint8_t> out;
  for (int32_t y = 0; y < sheet.sample_height; ++y) {
    const uint8_t* begin = sheet.view().row(top + y) + ptrdiff_t{left} * 3;
    out.insert(out.end(), begin, begin + ptrdiff_t{sheet.sample_width} * 3);
  }
  return out;
}

TEST(ContactSheet, CellsAreTheSamples) {
  const auto all = files();
  ContactSheet sheet = make_contact_sheet(MemorySource(all), options("CenterCrop(2)"));
  ASSERT_EQ(sheet.cells.size(), 4U);
  EXPECT_EQ(sheet.width, 4 + 2 * (2 + 4));
  EXPECT_EQ(sheet.height, 4 + 2 * (2 + 14 + 4));

  pipeline::RenderPlan plan;
  plan.crop = {7, 7, 9, 9};
  plan.window = {0, 0, 2, 2};
  std::vector<uint8_t> expected(12);
  pipeline::RenderTimes times;
  ASSERT_TRUE(pipeline::Renderer().render(all[0], plan, expected.data(), times).ok());
  EXPECT_EQ(cell(sheet, 0, 0), expected);
  EXPECT_TRUE(sheet.cells[0].native);
  ASSERT_EQ(sheet.cells[0].steps.size(), 1U);
  EXPECT_EQ(sheet.cells[0].steps[0].name, "crop");
  EXPECT_THAT(sheet.cells[0].steps[0].values, ::testing::ElementsAre(7, 7, 2, 2));

  EXPECT_THAT(cell(sheet, 0, 1), ::testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_FALSE(sheet.cells[1].native);
  EXPECT_TRUE(sheet.cells[1].status.ok());
  EXPECT_EQ(sheet.cells[1].class_name, "10");
}

TEST(ContactSheet, BadSamplesAreRed) {
  ContactSheet sheet = make_contact_sheet(MemorySource(files()), options("CenterCrop(2)"));
  EXPECT_EQ(sheet.cells[2].status.message(), "no image");
  EXPECT_EQ(sheet.cells[3].status.message(), "no such file");
  for (const int32_t column : {0, 1}) {
    const std::vector<uint8_t> red = cell(sheet, 1, column);
    for (size_t i = 0; i < red.size(); i += 3) {
      EXPECT_THAT((std::array{red[i], red[i + 1], red[i + 2]}),
                  ::testing::ElementsAre(176, 32, 32));
    }
  }
}

TEST(ContactSheet, NormalizeIsUndoneByteByByte) {
  const MemorySource source(files());
  ContactSheet plain = make_contact_sheet(source, options("CenterCrop(16)"));
  ContactSheet normal = make_contact_sheet(
      source, options("CenterCrop(16), ToTensor(), "
                      "Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))"));
  EXPECT_EQ(plain.pixels, normal.pixels);
}

TEST(ContactSheet, SeedAndEpochChooseTheSamples) {
  std::vector<std::vector<uint8_t>> many;
  many.reserve(20);
  for (uint32_t i = 0; i < 20; ++i) {
    many.push_back(codec::testing::encode({.width = 16, .height = 16, .seed = i}));
  }
  const MemorySource source(many);
  const auto samples = [&](uint64_t seed, uint32_t epoch) {
    SheetOptions given = options("RandomResizedCrop(8)");
    given.images = 6;
    given.shuffle = true;
    given.seed = seed;
    given.epoch = epoch;
    std::vector<int64_t> out;
    for (const SheetCell& made : make_contact_sheet(source, given).cells) {
      out.push_back(made.sample);
    }
    return out;
  };
  EXPECT_EQ(samples(3, 1).size(), 6U);
  EXPECT_EQ(samples(3, 1), samples(3, 1));
  EXPECT_NE(samples(3, 1), samples(3, 2));
  EXPECT_NE(samples(3, 1), samples(4, 1));
}

TEST(ContactSheet, TooLargeASheetIsAnError) {
  EXPECT_THROW(make_contact_sheet(MemorySource(files()), options("Resize((8000, 8000))")), Error);
}

}  // namespace
}  // namespace stoker::scan
