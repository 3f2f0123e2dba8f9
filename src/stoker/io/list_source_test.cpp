// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/list_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "stoker/core/error.h"
#include "stoker/core/test_tree.h"

namespace stoker::io {
namespace {

TEST(ListSource, GivesWhatItWasGiven) {
  const TestTree tree;
  const std::string path = tree.write("b/2.jpg", "two");
  const auto source = make_list_source({path, "a.jpg", path}, {-5, 1LL << 40, 7});
  ASSERT_EQ(source->count(), 3);
  EXPECT_EQ(source->name(0), path);
  EXPECT_EQ(source->name(1), "a.jpg");
  EXPECT_EQ(source->label(0), -5);
  EXPECT_EQ(source->label(1), 1LL << 40);
  EXPECT_TRUE(source->classes().empty());
  EXPECT_TRUE(source->warnings().empty());
  std::vector<uint8_t> bytes;
  ASSERT_TRUE(source->read(2, bytes).ok());
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "two");
  EXPECT_EQ(source->read(1, bytes).code(), ErrorCode::NotFound);
  EXPECT_TRUE(bytes.empty());
}

TEST(ListSource, RelativePathsOutliveAChangeOfFolder) {
  const TestTree tree;
  tree.write("x/1.jpg", "one");
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(tree.root());
  const auto source = make_list_source({"x/1.jpg"}, {0});
  std::filesystem::current_path(before);
  std::vector<uint8_t> bytes;
  EXPECT_TRUE(source->read(0, bytes).ok());
  EXPECT_EQ(source->name(0), "x/1.jpg");
}

TEST(ListSource, FingerprintHasNamesLabelsAndOrder) {
  const uint64_t base = make_list_source({"a", "b"}, {0, 1})->fingerprint();
  EXPECT_EQ(make_list_source({"a", "b"}, {0, 1})->fingerprint(), base);
  EXPECT_NE(make_list_source({"b", "a"}, {0, 1})->fingerprint(), base);
  EXPECT_NE(make_list_source({"a", "b"}, {1, 0})->fingerprint(), base);
  EXPECT_NE(make_list_source({"ab", "c"}, {0, 1})->fingerprint(),
            make_list_source({"a", "bc"}, {0, 1})->fingerprint());
}

TEST(ListSource, RefusesWhatMakesNoSense) {
  EXPECT_THROW(make_list_source({}, {}), Error);
  EXPECT_THROW(make_list_source({"a"}, {}), Error);
  EXPECT_THROW(make_list_source({""}, {0}), Error);
  EXPECT_THROW(make_list_source({std::string("a\0b", 3)}, {0}), Error);
  EXPECT_THROW(make_list_source({std::string(5000, 'a')}, {0}), Error);
}

}  // namespace
}  // namespace stoker::io
