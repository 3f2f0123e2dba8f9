// SPDX-License-Identifier: Apache-2.0
#include "stoker/synth/dataset.h"

#include <gmock/gmock.h>

#include <map>

#include "stoker/core/error.h"
#include "stoker/core/files.h"
#include "stoker/core/test_tree.h"

namespace stoker::synth {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::map<std::string, std::string> contents_of(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] =
          read_text_file(entry.path().string()).value();
    }
  }
  return files;
}

std::vector<std::string> names_of(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : contents_of(folder)) {
    names.push_back(name);
  }
  return names;
}

DatasetOptions small(const std::string& folder) {
  return {.folder = folder, .images = 5, .classes = 2, .width = 40, .height = 30, .seed = 7};
}

TEST(Dataset, LayoutOfImageFolder) {
  const TestTree tree;
  const DatasetResult result = make_dataset(small(tree.root() + "/set"));
  EXPECT_THAT(names_of(tree.root() + "/set"),
              ElementsAre("c000/00000.jpg", "c000/00002.jpg", "c000/00004.jpg", "c001/00001.jpg",
                          "c001/00003.jpg"));
  EXPECT_EQ(result.files, 5);
}

TEST(Dataset, SameBytesForAnyNumberOfThreads) {
  const TestTree tree;
  DatasetOptions options = small(tree.root() + "/one");
  options.images = 20;
  make_dataset(options);
  options.folder = tree.root() + "/three";
  options.threads = 3;
  int64_t last_done = 0;
  make_dataset(options, [&](int64_t done, int64_t total) {
    EXPECT_EQ(done, last_done + 1);
    EXPECT_EQ(total, 20);
    last_done = done;
  });
  EXPECT_EQ(last_done, 20);
  EXPECT_EQ(contents_of(tree.root() + "/one"), contents_of(tree.root() + "/three"));
}

TEST(Dataset, DefaultJpegsWeighAsMuchAsPhotographs) {
  const TestTree tree;
  DatasetOptions options{.folder = tree.root() + "/set", .images = 12, .classes = 12};
  const DatasetResult result = make_dataset(options);
  for (const auto& [name, bytes] : contents_of(options.folder)) {
    EXPECT_GE(bytes.size(), 60'000U) << name;
    EXPECT_LE(bytes.size(), 130'000U) << name;
  }
  EXPECT_EQ(result.files, 12);
}

TEST(Dataset, TarHasImageAndClassOfEachSample) {
  const TestTree tree;
  DatasetOptions options = small(tree.root() + "/set");
  options.tar = true;
  const DatasetResult result = make_dataset(options);
  const auto files = contents_of(options.folder);
  ASSERT_THAT(names_of(options.folder), ElementsAre("000000.tar"));
  const std::string& tar = files.at("000000.tar");
  EXPECT_EQ(result.bytes, static_cast<int64_t>(tar.size()));
  EXPECT_EQ(tar.size() % 512, 0U);
  std::vector<std::string> entries;
  size_t at = 0;
  while (tar[at] != 0) {
    const size_t size = std::stoul(tar.substr(at + 124, 11), nullptr, 8);
    entries.emplace_back(tar.c_str() + at);
    if (entries.back().ends_with(".cls")) {
      entries.back() += "=" + tar.substr(at + 512, size);
    }
    at += 512 + (size + 511) / 512 * 512;
  }
  EXPECT_EQ(at + 1024, tar.size());
  EXPECT_THAT(entries,
              ElementsAre("00000.jpg", "00000.cls=0", "00001.jpg", "00001.cls=1", "00002.jpg",
                          "00002.cls=0", "00003.jpg", "00003.cls=1", "00004.jpg", "00004.cls=0"));
}

TEST(Dataset, NeverWritesIntoAFolderInUse) {
  const TestTree tree;
  tree.write("set/mine.txt", "precious");
  tree.write("set/c000/00000.jpg", "old");
  DatasetOptions options = small(tree.root() + "/set");
  try {
    make_dataset(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(std::string(error.what()), "the folder '" + options.folder + "' is not empty");
    EXPECT_THAT(error.hint(), HasSubstr("--force"));
  }
  EXPECT_EQ(contents_of(options.folder).size(), 2U);

  options.force = true;
  make_dataset(options);
  const auto files = contents_of(options.folder);
  EXPECT_EQ(files.size(), 6U);
  EXPECT_EQ(files.at("mine.txt"), "precious");
  EXPECT_NE(files.at("c000/00000.jpg"), "old");
}

TEST(Dataset, AFileInTheWayIsAClearError) {
  const TestTree tree;
  const std::string file = tree.write("taken", "x");
  EXPECT_THROW(make_dataset(small(file + "/set")), Error);
  EXPECT_THROW(make_dataset(small(file)), Error);
  EXPECT_EQ(read_text_file(file).value(), "x");
}

}  // namespace
}  // namespace stoker::synth
