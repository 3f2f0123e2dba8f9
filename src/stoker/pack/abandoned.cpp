// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/abandoned.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

namespace stoker::pack {
namespace {

namespace fs = std::filesystem;

constexpr auto kAbandoned = std::chrono::hours(24);

}  // namespace

void remove_abandoned(const std::string& path) {
  const fs::path target(path);
  const std::string prefix = fmt::format(".{}.", target.filename().string());
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(target.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".tmp") &&
        fs::file_time_type::clock::now() - entry.last_write_time(ignored) > kAbandoned) {
      fs::remove(entry.path(), ignored);
    }
  }
}

}  // namespace stoker::pack
