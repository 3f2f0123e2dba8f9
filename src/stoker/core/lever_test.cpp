// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/lever.h"

#include <gmock/gmock.h>

#include "stoker/core/error.h"
#include "stoker/core/test_tree.h"

namespace stoker {
namespace {

constexpr const char* kRest =
    "title = 'Faster'\nhelp = '''\nOne\n  two.\n'''\nwhen_not = 'Never.'\nsource = 'docs/x.md'\n";

TEST(Lever, ReadsAllInOrderOfIds) {
  const TestTree tree;
  tree.write("levers/b/lever.toml", std::string("id = 'b'\nclass = 'exact'\n") + kRest);
  tree.write("levers/a/lever.toml",
             std::string("id = 'a'\nclass = 'recipe'\n") + kRest + "[params]\nx = 1\n");
  tree.write("levers/__pycache__/x.pyc", "");
  const std::vector<LeverFacts> levers = read_levers(tree.root());
  ASSERT_EQ(levers.size(), 2U);
  EXPECT_EQ(levers[0].id, "a");
  EXPECT_EQ(levers[0].change_class, "recipe");
  EXPECT_EQ(levers[1].help, "One two.");
}

TEST(Lever, NoFolderIsNoLever) {
  const TestTree tree;
  EXPECT_TRUE(read_levers(tree.root()).empty());
}

TEST(Lever, AnUnknownClassIsNamed) {
  const TestTree tree;
  const std::string path =
      tree.write("levers/a/lever.toml", std::string("id = 'a'\nclass = 'magic'\n") + kRest);
  try {
    read_levers(tree.root());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              path +
                  ":2: class: got 'magic', expected one of exact, rounding, random, precision, "
                  "recipe");
  }
}

}  // namespace
}  // namespace stoker
