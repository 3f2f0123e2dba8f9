// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/process_paths.h"

#include <gtest/gtest.h>

#include "stoker/core/test_tree.h"

namespace stoker {
namespace {

std::string package_of(const TestTree& tree, const std::string& executable) {
  const Result<std::string> found = find_python_package({.executable = tree.root() + executable});
  return found.ok() ? found->substr(tree.root().size()) : found.status().message();
}

TEST(ProcessPaths, PackageOfACheckout) {
  const TestTree tree;
  tree.write("/python/stoker/__init__.py", "");
  EXPECT_EQ(package_of(tree, "/build/dev/stoker"), "/python/stoker");
  EXPECT_EQ(package_of(tree, "/.venv/bin/stoker"), "/python/stoker");
}

TEST(ProcessPaths, PackageOfAnEnvironmentIsTheNewestPythons) {
  const TestTree tree;
  tree.write("/lib/python3.9/site-packages/stoker/__init__.py", "");
  tree.write("/lib/python3.11/site-packages/stoker/__init__.py", "");
  EXPECT_EQ(package_of(tree, "/bin/stoker"), "/lib/python3.11/site-packages/stoker");
}

TEST(ProcessPaths, ExecutableInsideThePackage) {
  const TestTree tree;
  tree.write("/site-packages/stoker/__init__.py", "");
  EXPECT_EQ(package_of(tree, "/site-packages/stoker/bin/stoker"), "/site-packages/stoker");
}

TEST(ProcessPaths, VariableAloneCounts) {
  const TestTree tree;
  tree.write("/python/stoker/__init__.py", "");
  const Result<std::string> found = find_python_package(
      {.executable = tree.root() + "/build/dev/stoker", .package_env = "/nowhere"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().code(), ErrorCode::NotFound);
  EXPECT_EQ(
      found.status().message(),
      "the Python package of stoker is not there; tried /nowhere; STOKER_PACKAGE can name it");
}

TEST(ProcessPaths, PythonBesideTheExecutableComesBeforePath) {
  const TestTree tree;
  const std::string in_path = tree.write("/usr/bin/python3", "");
  std::filesystem::permissions(in_path, std::filesystem::perms::owner_all);
  ProcessPaths paths{.executable = tree.root() + "/bin/stoker",
                     .search_path = "/nowhere:" + tree.root() + "/usr/bin"};
  EXPECT_EQ(find_python(paths).value(), in_path);
  const std::string beside = tree.write("/bin/python3", "");
  EXPECT_EQ(find_python(paths).value(), in_path);  // not executable yet
  std::filesystem::permissions(beside, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_python(paths).value(), beside);
  paths.python_env = in_path;
  EXPECT_EQ(find_python(paths).value(), in_path);
}

}  // namespace
}  // namespace stoker
