// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/process_paths.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

namespace stoker {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_package(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "__init__.py", ignored);
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// "python3.9" sorts before "python3.11".
int minor_version(const fs::path& folder) {
  return std::atoi(folder.filename().string().substr(std::string("python3.").size()).c_str());
}

std::vector<fs::path> site_packages(const fs::path& lib) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(lib, ignored)) {
    if (entry.path().filename().string().starts_with("python3.")) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    return minor_version(a) > minor_version(b);
  });
  for (fs::path& folder : found) {
    folder /= "site-packages/stoker";
  }
  return found;
}

template <class Accept>
Result<std::string> first_of(const std::vector<fs::path>& places, const std::string& what,
                             const std::string& variable, Accept accept) {
  std::string tried;
  for (const fs::path& given : places) {
    const fs::path place = given.lexically_normal();
    if (accept(place)) {
      return place.string();
    }
    tried += tried.empty() ? "" : ", ";
    tried += place.string();
  }
  return Status(ErrorCode::NotFound,
                fmt::format("{} is not there; tried {}; {} can name it", what, tried, variable));
}

}  // namespace

ProcessPaths ProcessPaths::of_this_process() {
  std::error_code ignored;
  return {.executable = fs::read_symlink("/proc/self/exe", ignored).string(),
          .package_env = environment("STOKER_PACKAGE"),
          .python_env = environment("STOKER_PYTHON"),
          .search_path = environment("PATH")};
}

Result<std::string> find_python_package(const ProcessPaths& paths) {
  std::vector<fs::path> places;
  if (!paths.package_env.empty()) {
    places.emplace_back(paths.package_env);  // named by the user: nothing else is tried
  } else {
    const fs::path folder = fs::path(paths.executable).parent_path();
    places.push_back(folder / "../../python/stoker");
    places.push_back(folder.parent_path());  // the executable lies in a folder of the package
    for (const fs::path& place : site_packages(folder.parent_path() / "lib")) {
      places.push_back(place);
    }
    places.push_back(folder / "../lib/python3.*/site-packages/stoker");
  }
  return first_of(places, "the Python package of stoker", "STOKER_PACKAGE", is_package);
}

Result<std::string> find_python(const ProcessPaths& paths) {
  std::vector<fs::path> places;
  if (!paths.python_env.empty()) {
    places.emplace_back(paths.python_env);
  } else {
    const fs::path folder = fs::path(paths.executable).parent_path();
    places.push_back(folder / "python3");
    places.push_back(folder / "../../.venv/bin/python3");
    std::istringstream path(paths.search_path);
    for (std::string entry; std::getline(path, entry, ':');) {
      places.push_back(fs::path(entry.empty() ? "." : entry) / "python3");
    }
  }
  return first_of(places, "Python", "STOKER_PYTHON", is_program);
}

std::string cache_folder() {
  if (const std::string named = environment("STOKER_CACHE"); !named.empty()) {
    return named;
  }
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty()) {
    return base + "/stoker";
  }
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/stoker";
}

}  // namespace stoker
