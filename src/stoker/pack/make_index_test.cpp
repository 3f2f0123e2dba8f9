// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/make_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "stoker/core/error.h"
#include "stoker/io/index_file.h"
#include "stoker/io/open_source.h"
#include "stoker/pack/testing/photo_tree.h"

namespace stoker::pack {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using testing::encode;
using ::testing::Pair;
using testing::PhotoTree;

TEST(MakeIndex, HoldsWhatTheDecoderMakes) {
  const PhotoTree tree;
  tree.write("a/1.jpg", encode({.width = 100, .height = 70, .seed = 1}));
  tree.write("b/2.jpg", encode({.width = 50, .height = 90, .seed = 2}));
  const IndexReport report = make_index({.path = tree.set(), .columns = 2});
  EXPECT_EQ(report.index_path, tree.set() + "/.stoker-index");
  EXPECT_EQ(report.samples, 2);
  EXPECT_EQ(report.made, 2);
  EXPECT_EQ(report.index_bytes, testing::fs::file_size(report.index_path));
  const auto source = io::open_source(tree.set());
  std::vector<uint8_t> bytes, entry, expected;
  for (int64_t sample = 0; sample < 2; ++sample) {
    ASSERT_TRUE(source->read(sample, bytes).ok());
    ASSERT_TRUE(source->read_index(sample, entry).ok());
    ASSERT_TRUE(codec::make_jpeg_index(bytes, 2, expected).ok());
    EXPECT_EQ(entry, expected);
  }
}

TEST(MakeIndex, CountsWhatIsLeftOutByReason) {
  const PhotoTree tree;
  tree.write("a/1.jpg", encode({.progressive = true}));
  tree.write("a/2.jpg", encode({.progressive = true, .seed = 2}));
  tree.write("a/3.jpg", encode({.restart_interval = 2}));
  tree.write("a/4.jpg", encode({}));
  tree.write("a/5.png", {0x89, 'P', 'N', 'G'});
  std::vector<uint8_t> cut = encode({.width = 200, .height = 200});
  cut.resize(cut.size() / 2);
  tree.write("a/6.jpg", cut);
  testing::fs::create_symlink("nowhere", tree.set() + "/a/7.jpg");
  const IndexReport report = make_index({.path = tree.set()});
  EXPECT_EQ(report.made, 1);
  EXPECT_EQ(report.left_out.total(), 6);
  EXPECT_THAT(
      report.left_out.sorted(),
      ElementsAre(Pair("progressive", 2), Pair("cannot be read", 1),
                  Pair("damaged or irregular", 1), Pair("no JPEG", 1), Pair("restart markers", 1)));
  EXPECT_THAT(report.warnings, ElementsAre(::testing::HasSubstr("a/7.jpg")));
}

TEST(MakeIndex, SecondRunMakesOnlyWhatChanged) {
  const PhotoTree tree;
  tree.fill(12);
  const IndexReport first = make_index({.path = tree.set()});
  const std::string whole = bytes_of(first.index_path);
  const IndexReport again = make_index({.path = tree.set()});
  EXPECT_EQ(again.made, 0);
  EXPECT_EQ(again.up_to_date, first.made);
  EXPECT_EQ(bytes_of(first.index_path), whole);
  tree.write("c0/1000.jpg", encode({.width = 64, .height = 64, .seed = 77}));
  const IndexReport changed = make_index({.path = tree.set()});
  EXPECT_EQ(changed.made, 1);
  EXPECT_EQ(changed.up_to_date, first.made - 1);
  EXPECT_EQ(make_index({.path = tree.set(), .columns = 3}).up_to_date, 0);
  EXPECT_EQ(make_index({.path = tree.set(), .columns = 3, .force = true}).up_to_date, 0);
}

TEST(MakeIndex, EntriesOfFilesThatAreGoneGo) {
  const PhotoTree tree;
  tree.write("a/1.jpg", encode({.seed = 1}));
  tree.write("a/2.jpg", encode({.seed = 2}));
  const std::string path = make_index({.path = tree.set()}).index_path;
  testing::fs::remove(tree.set() + "/a/2.jpg");
  EXPECT_EQ(make_index({.path = tree.set()}).indexed(), 1);
  EXPECT_EQ(io::IndexFile::open(path)->size(), 1U);
}

TEST(MakeIndex, ThreadsDoNotMatter) {
  const PhotoTree tree;
  tree.fill(40);
  const std::string path = make_index({.path = tree.set(), .threads = 1}).index_path;
  const std::string one = bytes_of(path);
  EXPECT_EQ(make_index({.path = tree.set(), .threads = 5, .force = true}).index_path, path);
  EXPECT_EQ(bytes_of(path), one);
}

TEST(MakeIndex, DamagedIndexIsMadeAnew) {
  const PhotoTree tree;
  tree.fill(4);
  const IndexReport first = make_index({.path = tree.set()});
  const std::string whole = bytes_of(first.index_path);
  ASSERT_TRUE(write_file_atomic(first.index_path, whole.substr(0, whole.size() / 2)).ok());
  EXPECT_EQ(make_index({.path = tree.set()}).made, first.made);
  EXPECT_EQ(bytes_of(first.index_path), whole);
}

TEST(MakeIndex, InterruptedLeavesTheOldOneAndNothingElse) {
  const PhotoTree tree;
  tree.fill(12);
  const std::string path = make_index({.path = tree.set()}).index_path;
  const std::string whole = bytes_of(path);
  const auto files = testing::files_of(tree.set()).size();
  std::atomic<bool> stop{false};
  const auto at_third = [&](int64_t done, int64_t /*total*/) { stop = done == 3; };
  EXPECT_THROW(make_index({.path = tree.set(), .columns = 1, .stop = &stop}, at_third),
               Interrupted);
  EXPECT_EQ(bytes_of(path), whole);
  EXPECT_EQ(testing::files_of(tree.set()).size(), files);
}

TEST(MakeIndex, FilesThatAKilledRunLeftGo) {
  const PhotoTree tree;
  tree.fill(2);
  const std::string old = tree.set() + "/..stoker-index.123-0.tmp";
  const std::string young = tree.set() + "/..stoker-index.124-0.tmp";
  for (const std::string& path : {old, young}) {
    ASSERT_TRUE(write_file_atomic(path, std::string_view("half")).ok());
  }
  testing::fs::last_write_time(old,
                               testing::fs::file_time_type::clock::now() - std::chrono::hours(30));
  make_index({.path = tree.set()});
  EXPECT_FALSE(testing::fs::exists(old));
  EXPECT_TRUE(testing::fs::exists(young));
}

TEST(MakeIndex, WrongNumbersAreRefused) {
  EXPECT_THROW(make_index({.path = "x", .columns = 0}), Error);
  EXPECT_THROW(make_index({.path = "x", .threads = 0}), Error);
}

}  // namespace
}  // namespace stoker::pack
