// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "stoker/core/error.h"
#include "stoker/core/test_tree.h"
#include "stoker/io/open_files.h"
#include "stoker/io/open_source.h"
#include "stoker/io/tar_source.h"
#include "stoker/io/testing/tar_bytes.h"

namespace stoker::io {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kTarEnd;
using testing::pax_record;
using testing::tar_header;
using testing::tar_member;

class TarTest : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("STOKER_CACHE", (tree_.root() + "/cache").c_str(), 1); }
  void TearDown() override { ::unsetenv("STOKER_CACHE"); }

  std::unique_ptr<Source> open(const std::string& bytes) const {
    return open_source(tree_.write("a.tar", bytes));
  }
  // Names and labels as "a.jpg=1".
  static std::vector<std::string> samples(const Source& source) {
    std::vector<std::string> out;
    for (int64_t i = 0; i < source.count(); ++i) {
      const std::string name = source.name(i);
      out.push_back(fmt::format("{}={}", name.substr(name.find(": ") + 2), source.label(i)));
    }
    return out;
  }
  static std::string text(const Source& source, int64_t sample) {
    std::vector<uint8_t> bytes;
    const Status status = source.read(sample, bytes);
    return status.ok() ? std::string(bytes.begin(), bytes.end()) : status.to_string();
  }
  // Message and hint of the Error that opening raises.
  std::string refusal(const std::string& bytes) const {
    try {
      open(bytes);
    } catch (const Error& error) {
      return fmt::format("{} ({})", error.what(), error.hint());
    }
    return "none";
  }

  TestTree tree_;
};

TEST_F(TarTest, LabelsComeFromClsMembers) {
  const auto source = open(tar_member("d/1.jpg", "one") + tar_member("d/1.cls", "7\n") +
                           tar_member("d/1.json", "{}") + tar_member("d/2.cls", " -3 ") +
                           tar_member("d/2.PNG", "two") + kTarEnd);
  EXPECT_THAT(samples(*source), ElementsAre("d/1.jpg=7", "d/2.PNG=-3"));
  EXPECT_EQ(source->name(0), "a.tar: d/1.jpg");
  EXPECT_EQ(text(*source, 0), "one");
  EXPECT_EQ(text(*source, 1), "two");
  EXPECT_TRUE(source->classes().empty());
  EXPECT_TRUE(source->warnings().empty());
}

TEST_F(TarTest, FoldersAreClassesWhereThereIsNoCls) {
  const auto source = open(tar_member("t/dog/1.jpg", "d") + tar_member("./cat/1.jpg", "c") +
                           tar_member("dog/2.jpg", "e") + kTarEnd);
  EXPECT_THAT(samples(*source), ElementsAre("t/dog/1.jpg=1", "./cat/1.jpg=0", "dog/2.jpg=1"));
  EXPECT_THAT(source->classes(), ElementsAre("cat", "dog"));
}

TEST_F(TarTest, EachSampleNeedsALabel) {
  EXPECT_THAT(refusal(tar_member("1.jpg", "x") + kTarEnd),
              AllOf(HasSubstr("'1.jpg' in '"), HasSubstr("neither a cls member")));
  EXPECT_THAT(refusal(tar_member("d/1.jpg", "x") + tar_member("d/1.cls", "1") +
                      tar_member("d/2.jpg", "x") + kTarEnd),
              AllOf(HasSubstr("'d/2.jpg'"), HasSubstr("no cls member")));
  for (const std::string bad : {"", "x", "1 2", "1.5", "99999999999", "0x1"}) {
    EXPECT_THAT(refusal(tar_member("1.jpg", "x") + tar_member("1.cls", bad) + kTarEnd),
                HasSubstr("'1.cls'"))
        << bad;
  }
}

TEST_F(TarTest, WhatIsNoSampleIsLeftOut) {
  const auto source = open(tar_member("__meta__/1.jpg", "x") + tar_member("d/.hidden.jpg", "x") +
                           tar_member("README", "x") + tar_member("d.x/readme", "x") +
                           tar_header("d/", 0, '5') + tar_header("d/9.jpg", 0, '2') +
                           tar_member("d/1.txt", "x") + tar_member("d/2.seg.png", "x") +
                           tar_member("d/2.webp", "2") + tar_member("d/2.jpeg", "J") + kTarEnd);
  EXPECT_THAT(samples(*source), ElementsAre("d/2.jpeg=0"));
  EXPECT_EQ(text(*source, 0), "J");
  EXPECT_THAT(
      source->warnings(),
      ElementsAre(HasSubstr("1 keys without an image, which are left out; the first is 'd/1'"),
                  HasSubstr("1 links")));
}

TEST_F(TarTest, LongNames) {
  const std::string folder(120, 'f');
  const std::string name = folder + "/" + std::string(130, 'n') + "\xC3\xA9.jpg";
  const auto gnu = open(tar_member("././@LongLink", name + '\0', 'L') +
                        tar_member(name.substr(0, 100), "gnu") + kTarEnd);
  EXPECT_THAT(samples(*gnu), ElementsAre(name + "=0"));
  EXPECT_EQ(text(*gnu, 0), "gnu");
  const auto pax =
      open(tar_member("x", pax_record("mtime", "1.5") + pax_record("path", name), 'x') +
           tar_member("short", "pax") + tar_member("d/2.jpg", "next") + kTarEnd);
  EXPECT_THAT(samples(*pax), ElementsAre(name + "=1", "d/2.jpg=0"));
  std::string prefixed = tar_header("n.jpg", 0, '0');
  prefixed.replace(345, folder.size(), folder);
  const auto ustar = open(testing::with_checksum(prefixed) + kTarEnd);
  EXPECT_THAT(samples(*ustar), ElementsAre(folder + "/n.jpg=0"));
}

TEST_F(TarTest, SizesOfPaxAndBase256) {
  std::string binary = tar_header("d/1.jpg", 0, '0');
  binary.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x03", 12));
  const auto base256 = open(testing::with_checksum(binary) + testing::padded("abc") + kTarEnd);
  EXPECT_EQ(text(*base256, 0), "abc");
  const auto pax =
      open(tar_member("x", pax_record("size", "3"), 'x') + tar_header("d/1.jpg", 0, '0') +
           testing::padded("abc") + tar_member("d/2.jpg", "2") + kTarEnd);
  EXPECT_EQ(text(*pax, 0), "abc");
  EXPECT_EQ(text(*pax, 1), "2");
}

TEST_F(TarTest, GuessesAreRefused) {
  EXPECT_THAT(
      refusal(tar_member("d/1.jpg", "x") + tar_member("d/2.jpg", "x") + tar_member("d/1.cls", "1") +
              kTarEnd),
      AllOf(HasSubstr("'d/1.*' in '" + tree_.root() + "/a.tar'"), HasSubstr("--sort=name")));
  EXPECT_THAT(refusal(tar_member("d/1.jpg", "x") + tar_member("d/1.JPG", "y") + kTarEnd),
              AllOf(HasSubstr("'d/1.JPG'"), HasSubstr("twice")));
  EXPECT_THAT(refusal(tar_member("d/1.jpg", "x", 'S') + kTarEnd), HasSubstr("sparse"));
  EXPECT_THAT(refusal(tar_member("x", pax_record("GNU.sparse.major", "1"), 'x') +
                      tar_member("d/1.jpg", "x") + kTarEnd),
              HasSubstr("sparse"));
  EXPECT_THAT(refusal(kTarEnd), HasSubstr("no image"));
  EXPECT_THAT(refusal("not a tar at all"), HasSubstr("inside a header"));
}

// Whole samples before the cut are used, whatever the cut is.
TEST_F(TarTest, EveryTruncation) {
  const std::string first = tar_member("d/1.jpg", "first") + tar_member("d/1.cls", "1");
  const std::string second =
      tar_member("d/2.jpg", std::string(600, '2')) + tar_member("d/2.cls", "2");
  const std::string whole = first + second + kTarEnd;
  const size_t end_of_first_cls = first.size() - 512 + 1;
  for (size_t cut = 0; cut < end_of_first_cls; ++cut) {
    ASSERT_THAT(refusal(whole.substr(0, cut)), HasSubstr("no image")) << cut;
  }
  for (size_t cut = end_of_first_cls; cut < whole.size(); ++cut) {
    const auto source = open(whole.substr(0, cut));
    const size_t end_of_second_cls = first.size() + second.size() - 512 + 1;
    if (cut >= end_of_second_cls) {
      ASSERT_THAT(samples(*source), ElementsAre("d/1.jpg=1", "d/2.jpg=2")) << cut;
    } else {
      ASSERT_THAT(samples(*source), ElementsAre("d/1.jpg=1")) << cut;
    }
    const bool has_end_mark = cut >= first.size() + second.size() + 512;
    ASSERT_EQ(source->warnings().size(), has_end_mark ? 0U : 1U) << cut;
    if (!has_end_mark) {
      ASSERT_THAT(source->warnings()[0], AllOf(HasSubstr("a.tar' is damaged at byte"),
                                               HasSubstr("samples before are used")));
    }
    ASSERT_EQ(text(*source, 0), "first");
  }
}

TEST_F(TarTest, WrongChecksumEndsTheShard) {
  std::string bytes = tar_member("d/0.jpg", "0") + tar_member("d/1.jpg", "1") +
                      tar_member("d/2.jpg", "2") + kTarEnd;
  bytes[2048] ^= 1;
  const auto source = open(bytes);
  EXPECT_THAT(samples(*source), ElementsAre("d/0.jpg=0", "d/1.jpg=0"));
  EXPECT_THAT(source->warnings(), ElementsAre(HasSubstr("at byte 2048: the checksum of a header")));
}

TEST_F(TarTest, MoreBehindTheEndIsAWarning) {
  const std::string one = tar_member("d/1.jpg", "1") + kTarEnd;
  EXPECT_THAT(open(one + one)->warnings(), ElementsAre(HasSubstr("put together with cat")));
  EXPECT_TRUE(open(one + std::string(9216, '\0'))->warnings().empty());
}

TEST_F(TarTest, FolderOfShards) {
  tree_.write("s/10.tar", tar_member("d/3.jpg", "3") + kTarEnd);
  tree_.write("s/02.TAR", tar_member("d/1.jpg", "1") + tar_member("e/2.jpg", "2") + kTarEnd);
  tree_.write("s/notes.txt", "x");
  const auto source = open_source(tree_.root() + "/s");
  EXPECT_THAT(samples(*source), ElementsAre("d/1.jpg=0", "e/2.jpg=1", "d/3.jpg=0"));
  EXPECT_EQ(source->name(2), "10.tar: d/3.jpg");
  EXPECT_EQ(text(*source, 2), "3");
  // A sub-folder makes it a folder of classes.
  fs::create_directories(tree_.root() + "/s/cat");
  EXPECT_THROW(open_source(tree_.root() + "/s"), Error);
}

TEST_F(TarTest, ListIsCachedAndAChangedShardIsNoticed) {
  const std::string path = tree_.write("a.tar", tar_member("d/1.jpg", "1") + kTarEnd);
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(path, hour_ago);
  const auto scanned = open_source(path);
  ASSERT_FALSE(fs::is_empty(tree_.root() + "/cache/lists"));
  const auto cached = open_source(path);
  EXPECT_EQ(scanned->fingerprint(), cached->fingerprint());
  EXPECT_EQ(samples(*cached), samples(*scanned));
  // Same size and time stamp: the cache is believed.
  tree_.write("a.tar", tar_member("d/2.jpg", "1") + kTarEnd);
  fs::last_write_time(path, hour_ago);
  EXPECT_THAT(samples(*open_source(path)), ElementsAre("d/1.jpg=0"));
  tree_.write("a.tar", tar_member("d/3.jpg", "1") + kTarEnd);
  EXPECT_THAT(samples(*open_source(path)), ElementsAre("d/3.jpg=0"));
  EXPECT_THAT(text(*cached, 0), HasSubstr("has changed since"));
}

TEST_F(TarTest, FewFilesAreOpenAtATime) {
  std::vector<std::string> paths;
  paths.reserve(40);
  for (int shard = 0; shard < 40; ++shard) {
    paths.push_back(tree_.write(fmt::format("s/{:02}.tar", shard),
                                tar_member("d/1.jpg", fmt::format("{}", shard)) + kTarEnd));
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{32, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto source = make_tar_source(paths);
  for (int64_t i = 0; i < 80; ++i) {
    EXPECT_EQ(text(*source, i % 40), fmt::format("{}", i % 40));
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(TarTest, OpenFilesKeepsThoseUsedLast) {
  std::vector<std::string> paths;
  std::vector<Stamp> stamps(5);
  for (size_t i = 0; i < stamps.size(); ++i) {
    paths.push_back(tree_.write(fmt::format("{}", i), "x"));
    ASSERT_TRUE(stamp_of(paths[i].c_str(), stamps[i]));
  }
  OpenFiles files(paths, stamps, 2);
  const auto held = files.get(0);
  ASSERT_TRUE(held.ok());
  for (size_t i = 1; i < stamps.size(); ++i) {
    ASSERT_TRUE(files.get(i).ok());
    EXPECT_LE(files.open_count(), 2U);
  }
  EXPECT_EQ((*held).use_count(), 1);
  const auto last = files.get(4);
  EXPECT_EQ((*last).use_count(), 2);
  fs::remove(paths[2]);
  EXPECT_EQ(files.get(2).status().code(), ErrorCode::NotFound);
}

}  // namespace
}  // namespace stoker::io
