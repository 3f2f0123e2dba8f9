// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/run_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <vector>

#include "stoker/core/error.h"
#include "stoker/core/files.h"

namespace stoker::cli {
namespace {

namespace fs = std::filesystem;

// Holds the id of the process that runs it. A folder without it is never deleted.
constexpr const char* kMarker = ".stoker-run";

// "2026-11-30T14-02-33", local time.
std::string time_text() {
  const time_t now = time(nullptr);
  tm parts{};
  localtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string random_suffix() {
  static constexpr std::string_view kLetters = "abcdefghijkmnpqrstuvwxyz23456789";
  // std::random_device would ask for a newer glibc than wheels promise.
  std::array<uint8_t, 4> random{};
  if (getentropy(random.data(), random.size()) != 0) {
    random.fill(0);  // a name that is taken is tried again
  }
  std::string out;
  for (const uint8_t byte : random) {
    out += kLetters[byte % kLetters.size()];
  }
  return out;
}

Status failure(const fs::path& path, int error) {
  return {ErrorCode::IoError, fmt::format("{}: {}", path.string(), std::strerror(error))};
}

// Marks a new folder as stoker's own, which also shows that files can be written there.
Status claim(const fs::path& folder, int64_t smallest_free_bytes) {
  struct statvfs disk{};
  if (statvfs(folder.c_str(), &disk) != 0) {
    return failure(folder, errno);
  }
  const auto free = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  if (free < smallest_free_bytes) {
    return failure(folder, ENOSPC);
  }
  Status marked = write_file_atomic((folder / kMarker).string(), fmt::format("{}\n", getpid()),
                                    {.sync = false});
  if (!marked.ok()) {
    return marked;
  }
  std::error_code error;
  fs::create_directory(folder / "processes", error);
  return error ? failure(folder, error.value()) : Status();
}

Status make_parents(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? failure(folder, error.value()) : Status();
}

// A folder of ours, made by mkdir so that two runs never share one.
Result<fs::path> make_named(const fs::path& base, int64_t smallest_free_bytes) {
  const Status parents = make_parents(base);
  if (!parents.ok()) {
    return parents;
  }
  for (int attempt = 0; attempt < 100; ++attempt) {
    fs::path folder = base / (time_text() + "-" + random_suffix());
    if (mkdir(folder.c_str(), 0777) == 0) {
      Status claimed = claim(folder, smallest_free_bytes);
      if (!claimed.ok()) {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
        return claimed;
      }
      return folder;
    }
    if (errno != EEXIST) {
      return failure(folder, errno);
    }
  }
  return failure(base, EEXIST);
}

Result<fs::path> make_default(const FolderOptions& options) {
  const fs::path base = options.base;
  std::error_code ignored;
  const bool is_new = !fs::exists(base, ignored);
  Result<fs::path> made = make_named(base, options.smallest_free_bytes);
  if (is_new && made.ok()) {
    // Results of runs belong into nobody's repository. Without this file the run is as good.
    const Status hidden = write_file_atomic((base / ".gitignore").string(), "*\n", {.sync = false});
    static_cast<void>(hidden.ok());
  }
  return made;
}

// --out: a new folder, an empty one, or one of an earlier run, whose files are replaced.
Result<fs::path> make_out(const FolderOptions& options) {
  const fs::path folder = options.out;
  std::error_code ignored;
  const bool ours = fs::exists(folder / kMarker, ignored);
  if (fs::exists(folder, ignored) && !ours &&
      (!fs::is_directory(folder, ignored) || !fs::is_empty(folder, ignored))) {
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("--out {}: holds something that is not of stoker", options.out),
                "name a folder that is new or empty");
  }
  const Status parents = make_parents(folder);
  if (!parents.ok()) {
    return parents;
  }
  if (ours) {
    for (const char* name : {"processes", "faults.jsonl", "levers.jsonl", "run.json", "trace.json",
                             "log.txt", "images.count"}) {
      fs::remove_all(folder / name, ignored);
    }
  }
  const Status claimed = claim(folder, options.smallest_free_bytes);
  return claimed.ok() ? Result<fs::path>(folder) : Result<fs::path>(claimed);
}

fs::path temporary_base() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? fs::path(named) : fs::path("/tmp");
}

bool has_ended(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "run.json", ignored)) {
    return true;
  }
  const Result<std::string> pid = read_text_file((folder / kMarker).string());
  return pid.ok() && kill(std::atoi(pid->c_str()), 0) != 0 && errno == ESRCH;
}

}  // namespace

Result<RunFolder> make_run_folder(const FolderOptions& options) {
  Result<fs::path> wanted = options.out.empty() ? make_default(options) : make_out(options);
  RunFolder folder;
  if (!wanted.ok()) {
    const std::string why = wanted.status().message();
    wanted = make_named(temporary_base() / fmt::format("stoker-runs-{}", getuid()),
                        options.smallest_free_bytes);
    if (!wanted.ok()) {
      return Status(ErrorCode::IoError, fmt::format("{}; {}", why, wanted.status().message()));
    }
    folder.note = fmt::format("the files of this run are in a temporary folder ({})", why);
  }
  std::error_code error;
  folder.path = fs::absolute(*wanted, error).lexically_normal().string();
  if (error) {
    return failure(*wanted, error.value());
  }
  folder.shown = wanted->string() + "/";
  return folder;
}

void drop_old_runs(const std::string& base, int64_t keep, const std::string& current) {
  std::error_code error;
  std::vector<fs::path> runs;
  for (fs::directory_iterator it(base, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->symlink_status(ignored).type() == fs::file_type::directory &&
        fs::exists(it->path() / kMarker, ignored)) {
      runs.push_back(it->path());
    }
  }
  std::sort(runs.begin(), runs.end());  // names begin with the time
  auto too_many = static_cast<int64_t>(runs.size()) - keep;
  for (auto run = runs.begin(); run != runs.end() && too_many > 0; ++run) {
    if (run->filename() != fs::path(current).filename() && has_ended(*run)) {
      fs::remove_all(*run, error);
      --too_many;
    }
  }
}

}  // namespace stoker::cli
