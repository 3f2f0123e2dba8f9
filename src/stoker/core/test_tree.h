// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stoker {

// A folder of its own for one test, removed at its end.
class TestTree {
 public:
  TestTree() {
    std::string name = (std::filesystem::temp_directory_path() / "stoker-test-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~TestTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  TestTree(const TestTree&) = delete;
  TestTree& operator=(const TestTree&) = delete;

  // Writes a file below the root; `path` may begin with '/'.
  std::string write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(root_ + "/" + path).lexically_normal();
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace stoker
