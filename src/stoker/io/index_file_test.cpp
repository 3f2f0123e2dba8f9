// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/index_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/core/test_tree.h"
#include "stoker/io/list_source.h"
#include "stoker/io/open_source.h"
#include "stoker/io/testing/tar_bytes.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

class IndexFileTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("STOKER_CACHE", (tree_.root() + "/cache").c_str(), 1); }
  void TearDown() override { ::unsetenv("STOKER_CACHE"); }

  using Entries = std::vector<std::pair<std::string, std::string>>;
  void write(const std::string& path, const Entries& entries, bool keep_old = true) const {
    IndexWriter writer(path, keep_old);
    for (const auto& [name, entry] : entries) {
      ASSERT_TRUE(writer.add(name, bytes_of(entry)).ok());
    }
    ASSERT_TRUE(writer.finish().ok());
  }
  static std::string read(const IndexFile& index, const std::string& name) {
    std::vector<uint8_t> entry;
    const Status status = index.read(name, entry);
    return status.ok() ? std::string(entry.begin(), entry.end()) : status.to_string();
  }
  static std::string entry_of(const Source& source, int64_t sample) {
    std::vector<uint8_t> entry;
    const Status status = source.read_index(sample, entry);
    return status.ok() ? std::string(entry.begin(), entry.end()) : status.to_string();
  }
  std::string path() const { return tree_.root() + "/index"; }

  TestTree tree_;
};

TEST_F(IndexFileTest, GivesBackWhatWasAdded) {
  write(path(), {{"b", "two"}, {"a", "one"}, {"empty", ""}, {"a", "new"}});
  const auto index = IndexFile::open(path());
  ASSERT_TRUE(index.ok()) << index.status().to_string();
  EXPECT_EQ(index->size(), 3U);
  EXPECT_EQ(read(*index, "a"), "new");
  EXPECT_EQ(read(*index, "b"), "two");
  EXPECT_EQ(read(*index, "empty"), "");
  EXPECT_EQ(read(*index, "none"), "");
  EXPECT_TRUE(index->contains("empty"));
  EXPECT_FALSE(index->contains("none"));
  // The format does not change by accident: head and table of a known file.
  EXPECT_EQ(fs::file_size(path()), 64 + 9 + 3 * 20U);
}

TEST_F(IndexFileTest, OldEntriesAreKeptUnlessToldOtherwise) {
  write(path(), {{"a", "1"}, {"b", "2"}});
  write(path(), {{"b", "new"}, {"c", "3"}});
  const auto merged = IndexFile::open(path());
  EXPECT_EQ(merged->size(), 3U);
  EXPECT_EQ(read(*merged, "a") + read(*merged, "b") + read(*merged, "c"), "1new3");
  write(path(), {{"d", "4"}}, false);
  EXPECT_EQ(IndexFile::open(path())->size(), 1U);
  // An index that was open goes on with its own file.
  EXPECT_EQ(read(*merged, "a"), "1");
}

TEST_F(IndexFileTest, ManyThreadsAdd) {
  {
    IndexWriter writer(path());
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&writer, thread] {
        for (int i = 0; i < 1000; ++i) {
          const std::string name = fmt::format("{}/{}", thread, i);
          EXPECT_TRUE(writer.add(name, bytes_of(name + std::string(500, '.'))).ok());
        }
      });
    }
    threads.clear();
    EXPECT_EQ(*writer.finish(), 4000U);
  }
  const auto index = IndexFile::open(path());
  ASSERT_TRUE(index.ok());
  for (int i = 0; i < 1000; ++i) {
    const std::string name = fmt::format("{}/{}", i % 4, i);
    EXPECT_EQ(read(*index, name), name + std::string(500, '.'));
  }
}

TEST_F(IndexFileTest, NothingIsLeftWithoutFinish) {
  {
    IndexWriter writer(path());
    ASSERT_TRUE(writer.add("a", bytes_of("1")).ok());
  }
  EXPECT_TRUE(fs::is_empty(tree_.root()));
  EXPECT_THROW(IndexWriter("/proc/nowhere/index"), Error);
}

TEST_F(IndexFileTest, OfTwoWritersTheLastOneWins) {
  IndexWriter first(path(), false);
  IndexWriter second(path(), false);
  ASSERT_TRUE(first.add("a", bytes_of("first")).ok());
  ASSERT_TRUE(second.add("a", bytes_of("second")).ok());
  ASSERT_TRUE(second.finish().ok());
  ASSERT_TRUE(first.finish().ok());
  EXPECT_EQ(read(*IndexFile::open(path()), "a"), "first");
}

TEST_F(IndexFileTest, EveryDamageOfHeadAndTableIsNoticed) {
  write(path(), {{"a", "one"}, {"b", "two"}});
  const std::string whole = read_text_file(path()).value();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::ofstream(path(), std::ios::binary) << whole.substr(0, i);
    EXPECT_EQ(IndexFile::open(path()).status().code(), ErrorCode::Corrupt) << i;
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    std::ofstream(path(), std::ios::binary) << flipped;
    const bool in_entries = i >= 64 && i < 70;  // whose reader checks them
    EXPECT_EQ(IndexFile::open(path()).ok(), in_entries) << i;
  }
  std::ofstream(path(), std::ios::binary) << whole << "more";
  EXPECT_FALSE(IndexFile::open(path()).ok());
}

TEST_F(IndexFileTest, CutOffWhileInUse) {
  write(path(), {{"a", std::string(10000, 'x')}});
  const auto index = IndexFile::open(path());
  fs::resize_file(path(), 100);
  EXPECT_THAT(read(*index, "a"), HasSubstr("truncated"));
}

TEST_F(IndexFileTest, SourcesFindTheirIndex) {
  tree_.write("set/cat/1.jpg", "x");
  tree_.write("set/dog/more/2.jpg", "x");
  const std::string set = tree_.root() + "/set";
  EXPECT_EQ(entry_of(*open_source(set), 0), "");
  write(index_path_to_write(set), {{"cat/1.jpg", "cat"}, {"dog/more/2.jpg", "dog"}});
  ASSERT_TRUE(fs::exists(set + "/.stoker-index"));
  const auto folder = open_source(set);
  EXPECT_EQ(entry_of(*folder, 0) + entry_of(*folder, 1), "catdog");
  EXPECT_EQ(folder->index_name(1), "dog/more/2.jpg");
  EXPECT_EQ(entry_of(*open_source(set, {""}), 0), "");
  // A list of some files of the folder finds it too.
  const auto list = make_list_source({set + "/dog/more/2.jpg"}, {0});
  EXPECT_EQ(entry_of(*list, 0), "dog");
  EXPECT_EQ(list->index_folder(), set + "/");
  fs::rename(set + "/.stoker-index", path());
  EXPECT_EQ(entry_of(*open_source(set), 0), "");
  EXPECT_EQ(entry_of(*open_source(set, {path()}), 1), "dog");
  EXPECT_EQ(entry_of(*make_list_source({set + "/dog/more/2.jpg"}, {0}, {path()}), 0), "dog");
}

TEST_F(IndexFileTest, TarsFindTheirIndex) {
  tree_.write("s/a.tar", testing::tar_member("d/1.jpg", "x") + testing::kTarEnd);
  tree_.write("s/b.tar", testing::tar_member("d/1.jpg", "x") + testing::kTarEnd);
  write(tree_.root() + "/s/.stoker-index", {{"a.tar:d/1.jpg", "A"}, {"b.tar:d/1.jpg", "B"}});
  const auto shards = open_source(tree_.root() + "/s");
  EXPECT_EQ(entry_of(*shards, 0) + entry_of(*shards, 1), "AB");
  EXPECT_EQ(shards->index_name(1), "b.tar:d/1.jpg");
  EXPECT_EQ(entry_of(*open_source(tree_.root() + "/s/b.tar"), 0), "B");
}

TEST_F(IndexFileTest, CacheServesFoldersThatCannotBeWritten) {
  tree_.write("set/cat/1.jpg", "x");
  const std::string set = tree_.root() + "/set";
  const std::string cached = index_cache_path(set);
  EXPECT_EQ(cached, index_cache_path(set + "/"));
  fs::create_directories(fs::path(cached).parent_path());
  write(cached, {{"cat/1.jpg", "cached"}});
  EXPECT_EQ(entry_of(*open_source(set), 0), "cached");
  // The newer one of both is used.
  write(set + "/.stoker-index", {{"cat/1.jpg", "beside"}});
  EXPECT_EQ(entry_of(*open_source(set), 0), "beside");
  EXPECT_THAT(index_path_to_write("/proc"), HasSubstr("/cache/index/"));
}

TEST_F(IndexFileTest, DamagedIndexIsAWarningAndAMissingOneAnError) {
  tree_.write("set/cat/1.jpg", "x");
  const std::string set = tree_.root() + "/set";
  tree_.write("set/.stoker-index", "junk");
  const auto source = open_source(set);
  EXPECT_THAT(source->warnings(), ElementsAre(HasSubstr("stoker data index")));
  EXPECT_EQ(entry_of(*source, 0), "");
  EXPECT_THAT(open_source(set, {""})->warnings(), IsEmpty());
  EXPECT_THROW(open_source(set, {tree_.root() + "/nowhere"}), Error);
  const auto list = make_list_source({set + "/cat/1.jpg"}, {0}, {set + "/.stoker-index"});
  EXPECT_THAT(list->warnings(), ElementsAre(HasSubstr("stoker data index")));
}

}  // namespace
}  // namespace stoker::io
