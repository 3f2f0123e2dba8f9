// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/run_folder.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "stoker/core/error.h"

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

class RunFolderTest : public testing::Test {
 protected:
  RunFolderTest() {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    dir = fs::path(testing::TempDir()) / ("stoker_folder_" + name);
    fs::remove_all(dir);
    fs::create_directories(dir);
    base = (dir / "runs").string();
    setenv("TMPDIR", (dir / "tmp").c_str(), 1);
  }
  ~RunFolderTest() override {
    unsetenv("TMPDIR");
    fs::remove_all(dir);
  }
  // As a run that has ended leaves it.
  fs::path old_run(const std::string& name) const {
    fs::create_directories(fs::path(base) / name);
    std::ofstream(fs::path(base) / name / ".stoker-run") << "1\n";
    std::ofstream(fs::path(base) / name / "run.json") << "{}";
    return fs::path(base) / name;
  }

  fs::path dir;
  std::string base;
};

TEST_F(RunFolderTest, CarriesSecondsAndASuffix) {
  const Result<RunFolder> folder = make_run_folder({.base = base});
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(fs::path(folder->path).filename().string(),
              MatchesRegex("[0-9-]+T[0-9]+-[0-9]+-[0-9]+-[a-z0-9]+"));
  EXPECT_TRUE(fs::is_directory(fs::path(folder->path) / "processes"));
  EXPECT_TRUE(fs::exists(fs::path(base) / ".gitignore"));
  EXPECT_EQ(folder->note, "");
}

TEST_F(RunFolderTest, AFullDiskGoesToATemporaryFolder) {
  // More than any disk has is "full" for the first folder and for the second.
  EXPECT_THAT(make_run_folder({.base = base, .smallest_free_bytes = INT64_MAX}).status().message(),
              HasSubstr("No space left on device"));
  EXPECT_FALSE(fs::exists(dir / "tmp/stoker-runs"));
}

TEST_F(RunFolderTest, AFileInTheWayGoesToATemporaryFolder) {
  std::ofstream(base) << "a file";
  const Result<RunFolder> folder = make_run_folder({.base = base});
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(folder->path, HasSubstr("/tmp/stoker-runs-"));
  EXPECT_THAT(folder->note, HasSubstr("temporary folder"));
}

TEST_F(RunFolderTest, OutMayBeNewEmptyOrOfAnEarlierRun) {
  const std::string out = (dir / "a/b").string();
  ASSERT_TRUE(make_run_folder({.out = out}).ok());
  std::ofstream(dir / "a/b/run.json") << "old";
  const Result<RunFolder> again = make_run_folder({.out = out});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->path, out);
  EXPECT_FALSE(fs::exists(dir / "a/b/run.json"));
}

TEST_F(RunFolderTest, OutThatHoldsSomethingElseIsWrongUsage) {
  fs::create_directories(dir / "mine");
  std::ofstream(dir / "mine/model.pt") << "precious";
  EXPECT_THROW(static_cast<void>(make_run_folder({.out = (dir / "mine").string()})), Error);
  EXPECT_TRUE(fs::exists(dir / "mine/model.pt"));
}

TEST_F(RunFolderTest, KeepsTheNewestAndWhatIsNotStokers) {
  const fs::path oldest = old_run("2026-01-01T00-00-00-aaaa");
  const fs::path older = old_run("2026-01-02T00-00-00-aaaa");
  const fs::path newer = old_run("2026-01-03T00-00-00-aaaa");
  fs::create_directories(fs::path(base) / "2025-mine");
  fs::create_directory_symlink(newer, fs::path(base) / "2024-link");
  drop_old_runs(base, 2, newer.string());
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_TRUE(fs::exists(older));
  EXPECT_TRUE(fs::exists(newer));
  EXPECT_TRUE(fs::exists(fs::path(base) / "2025-mine"));
  EXPECT_TRUE(fs::exists(fs::path(base) / "2024-link"));
}

TEST_F(RunFolderTest, ARunThatIsStillGoingIsKept) {
  const fs::path going = old_run("2026-01-01T00-00-00-aaaa");
  fs::remove(going / "run.json");
  std::ofstream(going / ".stoker-run") << getpid() << "\n";
  const fs::path ended = old_run("2026-01-02T00-00-00-aaaa");
  const fs::path current = old_run("2026-01-03T00-00-00-aaaa");
  drop_old_runs(base, 1, current.string());
  EXPECT_TRUE(fs::exists(going));
  EXPECT_FALSE(fs::exists(ended));
  EXPECT_TRUE(fs::exists(current));
}

}  // namespace
}  // namespace stoker::cli
