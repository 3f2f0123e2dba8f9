// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/system_view.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "stoker/core/cgroup.h"
#include "stoker/core/files.h"

namespace stoker {
namespace {

int32_t affinity_of_process() {
  // More CPUs than a cpu_set_t holds make the call fail; then all are taken as allowed.
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return CPU_COUNT(&set);
  }
  return static_cast<int32_t>(std::thread::hardware_concurrency());
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  const size_t end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

void add_cpu_facts(const std::string& cpuinfo, MachineFacts& facts) {
  std::set<std::pair<std::string, std::string>> cores;
  std::string package;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) {
      continue;
    }
    const std::string key = trimmed(line.substr(0, colon));
    const std::string value = trimmed(line.substr(colon + 1));
    if (key == "processor") {
      ++facts.cpus;
    } else if (key == "model name") {
      facts.cpu = value;
    } else if (key == "physical id") {
      package = value;
    } else if (key == "core id") {
      cores.emplace(package, value);
    }
  }
  facts.cores = cores.empty() ? facts.cpus : static_cast<int32_t>(cores.size());
}

int64_t memory_total(const std::string& meminfo) {
  std::istringstream lines(meminfo);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    int64_t kib = 0;
    if (words >> key >> kib && key == "MemTotal:") {
      return kib * 1024;
    }
  }
  return 0;
}

std::string container_of(const SystemView& view) {
  if (view.exists("/.dockerenv")) {
    return "docker";
  }
  if (view.exists("/run/.containerenv")) {
    return "podman";
  }
  if (view.exists("/var/run/secrets/kubernetes.io")) {
    return "kubernetes";
  }
  constexpr std::array<std::pair<const char*, const char*>, 4> kMarks = {
      {{"kubepods", "kubernetes"}, {"docker", "docker"}, {"libpod", "podman"}, {"lxc", "lxc"}}};
  const Result<std::string> groups = view.read("/proc/1/cgroup");
  for (const auto& [mark, name] : kMarks) {
    if (groups.ok() && groups->find(mark) != std::string::npos) {
      return name;
    }
  }
  const Result<std::string> environment = view.read("/proc/1/environ");
  return environment.ok() && environment->find("container=") != std::string::npos ? "other" : "";
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

int32_t MachineFacts::usable_cpus() const {
  int32_t count = affinity_cpus > 0 ? affinity_cpus : cpus;
  if (cgroup_cpus) {
    count = std::min(count, static_cast<int32_t>(std::ceil(*cgroup_cpus)));
  }
  return std::max(count, 1);
}

Json machine_json(const MachineFacts& facts) {
  return Json::object({{"cpu", facts.cpu},
                       {"cpus", facts.cpus},
                       {"cores", facts.cores},
                       {"affinity_cpus", facts.affinity_cpus},
                       {"cgroup_cpus", or_null(facts.cgroup_cpus)},
                       {"usable_cpus", facts.usable_cpus()},
                       {"memory_bytes", facts.memory_bytes},
                       {"memory_limit_bytes", or_null(facts.memory_limit_bytes)},
                       {"kernel", facts.kernel},
                       {"container", facts.container.empty() ? Json() : Json(facts.container)}});
}

SystemView::SystemView() : SystemView("", affinity_of_process) {}

SystemView::SystemView(std::string root, CountCpus affinity_cpus)
    : root_(std::move(root)), affinity_cpus_(std::move(affinity_cpus)) {}

Result<std::string> SystemView::read(const std::string& path) const {
  return read_text_file(root_ + path);
}

std::string SystemView::line(const std::string& path) const {
  const Result<std::string> text = read(path);
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

bool SystemView::exists(const std::string& path) const {
  std::error_code ignored;
  return std::filesystem::exists(root_ + path, ignored);
}

MachineFacts SystemView::machine() const {
  MachineFacts facts;
  if (const Result<std::string> text = read("/proc/cpuinfo"); text.ok()) {
    add_cpu_facts(*text, facts);
  }
  if (const Result<std::string> text = read("/proc/meminfo"); text.ok()) {
    facts.memory_bytes = memory_total(*text);
  }
  facts.affinity_cpus = affinity_cpus_();
  const CgroupLimits limits = cgroup_limits(*this);
  facts.cgroup_cpus = limits.cpus;
  facts.memory_limit_bytes = limits.memory_bytes;
  facts.kernel = line("/proc/sys/kernel/osrelease");
  facts.container = container_of(*this);
  return facts;
}

}  // namespace stoker
