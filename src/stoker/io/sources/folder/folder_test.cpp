// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/core/test_tree.h"
#include "stoker/io/list_cache.h"
#include "stoker/io/sources/folder/class_list.h"
#include "stoker/io/sources_registry.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A data set and a cache folder of its own.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("STOKER_CACHE", cache().c_str(), 1); }
  void TearDown() override { ::unsetenv("STOKER_CACHE"); }

  std::string root() const { return tree_.root() + "/set"; }
  std::string cache() const { return tree_.root() + "/cache"; }
  std::string cache_file() const { return list_cache_path(root()); }
  void write(const std::string& path, const std::string& text = "x") const {
    tree_.write("set/" + path, text);
  }
  // As if nothing had been changed for an hour.
  void settle() const {
    const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(root(), hour_ago);
    for (const auto& entry : fs::recursive_directory_iterator(root())) {
      if (entry.is_directory() && !entry.is_symlink()) {
        fs::last_write_time(entry.path(), hour_ago);
      }
    }
  }
  std::unique_ptr<Source> open() const { return source_folder().open(root(), {}); }
  std::vector<std::string> names() const {
    const auto source = open();
    std::vector<std::string> out;
    out.reserve(static_cast<size_t>(source->count()));
    for (int64_t i = 0; i < source->count(); ++i) {
      out.push_back(source->name(i).substr(root().size() + 1));
    }
    return out;
  }

  TestTree tree_;
};

TEST_F(FolderTest, OrderIsThatOfImageFolder) {
  write("b/2.jpg");
  write("b/10.JPEG");
  write("b/notes.txt");
  write("b/a-b/1.png");
  write("b/a/1.webp");
  write("a/.jpg");
  write("B/x.tiff");
  write("file.jpg");
  // Classes by code point; in a class the folders by their path, and files after that.
  EXPECT_THAT(names(), ElementsAre("B/x.tiff", "a/.jpg", "b/10.JPEG", "b/2.jpg", "b/a/1.webp",
                                   "b/a-b/1.png"));
  const auto source = open();
  EXPECT_THAT(source->classes(), ElementsAre("B", "a", "b"));
  EXPECT_EQ(source->label(0), 0);
  EXPECT_EQ(source->label(5), 2);
}

TEST_F(FolderTest, ReadsAndReportsFiles) {
  write("a/1.jpg", "first");
  write("a/2.jpg", "");
  const auto source = open();
  std::vector<uint8_t> bytes;
  ASSERT_TRUE(source->read(0, bytes).ok());
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "first");
  ASSERT_TRUE(source->read(1, bytes).ok());
  EXPECT_TRUE(bytes.empty());
  fs::remove(root() + "/a/1.jpg");
  const Status gone = source->read(0, bytes);
  EXPECT_EQ(gone.code(), ErrorCode::NotFound);
  EXPECT_THAT(gone.message(), HasSubstr(root() + "/a/1.jpg"));
  ASSERT_EQ(::mkfifo((root() + "/a/1.jpg").c_str(), 0600), 0);
  EXPECT_EQ(source->read(0, bytes).code(), ErrorCode::Unsupported);
}

TEST_F(FolderTest, ClassWithoutImageIsAnError) {
  write("a/1.jpg");
  write("b/1.txt");
  fs::create_directories(root() + "/c");
  try {
    open();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NotFound);
    EXPECT_STREQ(error.what(),
                 "Found no valid file for the classes b, c. Supported extensions are: .jpg, .jpeg, "
                 ".png, .ppm, .bmp, .pgm, .tif, .tiff, .webp");
    EXPECT_FALSE(error.hint().empty());
  }
}

TEST_F(FolderTest, NoClassOrNoFolderIsAnError) {
  EXPECT_THROW(open(), Error);
  write("1.jpg");
  try {
    open();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), fmt::format("Couldn't find any class folder in {}.", root()));
  }
}

TEST_F(FolderTest, ListIsCachedUntilAFolderChanges) {
  write("a/sub/1.jpg");
  write("b/1.jpg");
  settle();
  EXPECT_EQ(names().size(), 2U);
  ASSERT_TRUE(fs::exists(cache_file()));
  // It is believed while time stamps and inodes are the same.
  const auto time = fs::last_write_time(root() + "/b");
  write("b/2.jpg");
  fs::last_write_time(root() + "/b", time);
  EXPECT_EQ(names().size(), 2U);
  fs::last_write_time(root() + "/b", time + std::chrono::nanoseconds(1));
  EXPECT_EQ(names().size(), 3U);
  write("a/sub/2.jpg");
  EXPECT_EQ(names().size(), 4U);
}

// An index is written there, for instance.
TEST_F(FolderTest, AnotherFileBesideTheClassesDoesNotMatter) {
  write("a/1.jpg");
  settle();
  ASSERT_EQ(names().size(), 1U);
  const auto time = fs::last_write_time(root() + "/a");
  write("a/2.jpg");
  fs::last_write_time(root() + "/a", time);
  write(".stoker-index");
  EXPECT_EQ(names().size(), 1U);  // from the cache
  write("b/3.jpg");
  EXPECT_EQ(names().size(), 3U);
}

TEST_F(FolderTest, CachedListEqualsAWalk) {
  write("a/sub/1.jpg");
  write("b/\xFF\xC3\xA9.jpg");
  settle();
  const auto walked = open();
  ASSERT_TRUE(fs::exists(cache_file()));
  const auto cached = open();
  EXPECT_EQ(walked->fingerprint(), cached->fingerprint());
  ASSERT_EQ(cached->count(), 2);
  EXPECT_EQ(cached->name(1), walked->name(1));
  EXPECT_EQ(cached->label(1), 1);
  EXPECT_EQ(cached->classes(), walked->classes());
}

TEST_F(FolderTest, YoungFoldersAreNotCached) {
  write("a/1.jpg");
  EXPECT_EQ(names().size(), 1U);
  EXPECT_FALSE(fs::exists(cache_file()));
}

TEST_F(FolderTest, BrokenLinksAreNotCached) {
  write("a/1.jpg");
  fs::create_symlink("nowhere", root() + "/a/2.jpg");
  settle();
  EXPECT_EQ(names().size(), 2U);
  EXPECT_FALSE(fs::exists(cache_file()));
}

TEST_F(FolderTest, EveryDamageOfACacheFileIsNoticed) {
  write("a/1.jpg");
  write("b/2.jpg");
  settle();
  const uint64_t fingerprint = open()->fingerprint();
  const std::string whole = read_text_file(cache_file()).value();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x40);
    for (const std::string& bad : {whole.substr(0, i), flipped}) {
      std::ofstream(cache_file(), std::ios::binary) << bad;
      EXPECT_EQ(open()->fingerprint(), fingerprint) << i;
    }
  }
}

TEST_F(FolderTest, CacheThatCannotBeWrittenIsNoError) {
  ::setenv("STOKER_CACHE", "/proc/nowhere", 1);
  write("a/1.jpg");
  settle();
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(FolderTest, LinkInACircleEndsWhereTheSystemSays) {
  write("a/1.jpg");
  fs::create_symlink("..", root() + "/a/up");
  const size_t count = names().size();
  EXPECT_GT(count, 10U);
  EXPECT_LT(count, 100U);
}

int64_t resident_bytes() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

// Folders are there, files are not: nobody looks at them.
TEST_F(FolderTest, AMillionCachedFilesOpenFastAndStaySmall) {
  constexpr int kFolders = 1000;
  constexpr int kFiles = 1000;
  {
    ClassList list;
    WalkRecord record;
    const auto add_walked = [&](const std::string& folder) {
      fs::create_directories(root() + "/" + folder);
      record.folders.add(folder);
    };
    add_walked("");
    for (int folder = 0; folder < kFolders; ++folder) {
      list.classes.push_back(fmt::format("n{:08}", folder));
      list.folders.add(list.classes.back() + "/");
      list.folder_labels.push_back(static_cast<uint32_t>(folder));
      add_walked(list.classes.back() + "/");
      for (int file = 0; file < kFiles; ++file) {
        list.names.add(fmt::format("n{:08}_{}.JPEG", folder, file));
        list.folder_of.push_back(static_cast<uint32_t>(folder));
      }
    }
    record.stamps.resize(record.folders.size());
    for (size_t i = 0; i < record.stamps.size(); ++i) {
      const std::string path = fmt::format("{}/{}", root(), record.folders[i]);
      ASSERT_TRUE(stamp_of(path.c_str(), record.stamps[i]));
    }
    keep_classes(root(), list, record);
  }
  ::malloc_trim(0);
  const int64_t before_bytes = resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  const auto source = open();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const int64_t used_bytes = resident_bytes() - before_bytes;
  ASSERT_EQ(source->count(), kFolders * kFiles);
  EXPECT_EQ(source->name(123456), root() + "/n00000123/n00000123_456.JPEG");
  EXPECT_EQ(source->label(999999), 999);
  fmt::print("1,000,000 files: {:.0f} ms, {:.1f} MB\n", seconds.count() * 1e3,
             static_cast<double>(used_bytes) * 1e-6);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(seconds.count(), 0.5);
  EXPECT_LT(used_bytes, 50'000'000);
#endif
}

TEST_F(FolderTest, ThreadsDoNotMatter) {
  for (int folder = 0; folder < 40; ++folder) {
    write(fmt::format("c{}/deep/er/{}.jpg", folder % 7, folder));
  }
  WalkRecord first;
  const uint64_t expected = walk_classes(root(), root(), 1, first).fingerprint();
  for (const int threads : {2, 8}) {
    WalkRecord record;
    EXPECT_EQ(walk_classes(root(), root(), threads, record).fingerprint(), expected);
    EXPECT_EQ(record.folders.size(), first.folders.size());
  }
}

}  // namespace
}  // namespace stoker::io
