// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/cgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace stoker {
namespace {

// Version 1 writes "no limit" as the largest multiple of the page size.
constexpr int64_t kUnlimitedV1 = int64_t{1} << 60;

template <class T>
void tighten(std::optional<T>& limit, T value) {
  limit = limit ? std::min(*limit, value) : value;
}

// "/a/b" -> "/a/b", "/a", "". Inside a container the path may not exist below the mount; its root
// then still holds the container's own limits.
std::vector<std::string> way_up(std::string path) {
  std::vector<std::string> folders;
  while (!path.empty() && path != "/") {
    folders.push_back(path);
    path.resize(path.rfind('/'));
  }
  folders.emplace_back("");
  return folders;
}

// The path of this process in the hierarchy of a controller; "" is the unified one of version 2.
std::string path_in(const SystemView& view, const std::string& controller) {
  const Result<std::string> groups = view.read("/proc/self/cgroup");
  std::istringstream lines(groups.ok() ? *groups : "");
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string names = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool found = controller.empty()
                           ? names == ",,"
                           : names.find(fmt::format(",{},", controller)) != std::string::npos;
    if (found) {
      return line.substr(second + 1);
    }
  }
  return "";
}

int64_t number_in(const SystemView& view, const std::string& path) {
  std::istringstream line(view.line(path));
  int64_t value = -1;
  line >> value;
  return line ? value : -1;
}

CgroupLimits limits_v2(const SystemView& view) {
  CgroupLimits limits;
  for (const std::string& folder : way_up(path_in(view, ""))) {
    const std::string base = "/sys/fs/cgroup" + folder;
    std::istringstream cpu_max(view.line(base + "/cpu.max"));
    double quota = 0;
    double period = 0;
    if (cpu_max >> quota >> period && period > 0) {  // "max 100000" does not begin with a number
      tighten(limits.cpus, quota / period);
    }
    const int64_t memory = number_in(view, base + "/memory.max");
    if (memory > 0) {
      tighten(limits.memory_bytes, memory);
    }
  }
  return limits;
}

CgroupLimits limits_v1(const SystemView& view) {
  CgroupLimits limits;
  for (const std::string& folder : way_up(path_in(view, "cpu"))) {
    const std::string base = "/sys/fs/cgroup/cpu" + folder;
    const int64_t quota = number_in(view, base + "/cpu.cfs_quota_us");
    const int64_t period = number_in(view, base + "/cpu.cfs_period_us");
    if (quota > 0 && period > 0) {
      tighten(limits.cpus, static_cast<double>(quota) / static_cast<double>(period));
    }
  }
  for (const std::string& folder : way_up(path_in(view, "memory"))) {
    const int64_t memory =
        number_in(view, "/sys/fs/cgroup/memory" + folder + "/memory.limit_in_bytes");
    if (memory > 0 && memory < kUnlimitedV1) {
      tighten(limits.memory_bytes, memory);
    }
  }
  return limits;
}

}  // namespace

CgroupLimits cgroup_limits(const SystemView& view) {
  return view.exists("/sys/fs/cgroup/cgroup.controllers") ? limits_v2(view) : limits_v1(view);
}

}  // namespace stoker
