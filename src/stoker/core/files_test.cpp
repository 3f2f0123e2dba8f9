// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/files.h"

#include <gtest/gtest.h>

#include "stoker/core/test_tree.h"

namespace stoker {
namespace {

size_t count_files(const std::string& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.is_regular_file() ? 1 : 0;
  }
  return count;
}

TEST(Files, WritesWholeAndReplaces) {
  const TestTree tree;
  const std::string path = tree.root() + "/a.json";
  ASSERT_TRUE(write_file_atomic(path, "first").ok());
  ASSERT_TRUE(write_file_atomic(path, "second", {.sync = false}).ok());
  EXPECT_EQ(read_text_file(path).value(), "second");
  EXPECT_EQ(count_files(tree.root()), 1U);
}

TEST(Files, DoesNotReplaceWhenAskedNotTo) {
  const TestTree tree;
  const std::string path = tree.write("a", "old");
  const Status status = write_file_atomic(path, "new", {.replace = false});
  EXPECT_EQ(status.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(status.message(), "'" + path + "' exists already");
  EXPECT_EQ(read_text_file(path).value(), "old");
  EXPECT_EQ(count_files(tree.root()), 1U);
}

TEST(Files, FailureLeavesNothingBehind) {
  const TestTree tree;
  EXPECT_EQ(write_file_atomic(tree.root() + "/none/a", "x").code(), ErrorCode::NotFound);
  // A folder cannot be replaced by a file.
  std::filesystem::create_directory(tree.root() + "/folder");
  EXPECT_EQ(write_file_atomic(tree.root() + "/folder", "x").code(), ErrorCode::IoError);
  EXPECT_EQ(count_files(tree.root()), 0U);
}

TEST(Files, ReadsFilesThatSayTheyAreEmpty) {
  const Result<std::string> text = read_text_file("/proc/self/status");
  ASSERT_TRUE(text.ok());
  EXPECT_NE(text->find("Pid:"), std::string::npos);
}

TEST(Files, TemporaryNamesAreHiddenAndDiffer) {
  const std::string one = temporary_name_for("dir/a.jpg");
  EXPECT_EQ(one.substr(0, 11), "dir/.a.jpg.");
  EXPECT_NE(one, temporary_name_for("dir/a.jpg"));
}

}  // namespace
}  // namespace stoker
