// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "stoker/codec/testing/jpeg_encoder.h"
#include "stoker/core/files.h"
#include "stoker/core/test_tree.h"

namespace stoker::pack::testing {

namespace fs = std::filesystem;
using codec::testing::encode;
using codec::testing::JpegSpec;

// A folder of classes, and a cache folder of its own.
class PhotoTree {
 public:
  PhotoTree() { ::setenv("STOKER_CACHE", path("cache").c_str(), 1); }
  ~PhotoTree() { ::unsetenv("STOKER_CACHE"); }
  PhotoTree(const PhotoTree&) = delete;
  PhotoTree& operator=(const PhotoTree&) = delete;

  std::string path(const std::string& name) const { return tree_.root() + "/" + name; }
  std::string set() const { return path("set"); }
  // "a/1.jpg" of the set.
  void write(const std::string& name, const std::vector<uint8_t>& bytes) const {
    tree_.write("set/" + name, std::string(bytes.begin(), bytes.end()));
  }
  // `count` images of two classes and many kinds.
  void fill(int count) const {
    for (int i = 0; i < count; ++i) {
      write(fmt::format("c{}/{}.jpg", i % 2, 1000 + i),
            encode({.width = 40 + i % 7,
                    .height = 33 + i % 5,
                    .progressive = i % 3 == 1,
                    .arithmetic = i % 6 == 4,
                    .several_scans = i % 5 == 3 && i % 3 == 0,
                    .seed = static_cast<uint32_t>(i)}));
    }
  }

 private:
  TestTree tree_;
};

inline std::string bytes_of(const std::string& path) {
  return read_text_file(path).value();
}

// All files below a folder and their bytes.
inline std::vector<std::pair<std::string, std::string>> files_of(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.emplace_back(entry.path().lexically_relative(folder).string(),
                         bytes_of(entry.path().string()));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace stoker::pack::testing
