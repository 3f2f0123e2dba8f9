// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "stoker/core/json.h"
#include "stoker/core/status.h"

namespace stoker {

// What this machine is, and how much of it this process may use. Empty or 0: not known.
struct MachineFacts {
  std::string cpu;                    // model name
  int32_t cpus = 0;                   // logical CPUs that are online
  int32_t cores = 0;                  // physical cores
  int32_t affinity_cpus = 0;          // CPUs that this process may run on
  std::optional<double> cgroup_cpus;  // CPU quota of the control group
  int64_t memory_bytes = 0;
  std::optional<int64_t> memory_limit_bytes;  // of the control group
  std::string kernel;
  std::string container;  // "docker", "podman", "kubernetes", "lxc", "other", or "" outside of one

  // Threads that can run at once: affinity and quota together, at least 1.
  int32_t usable_cpus() const;
};

// `machine{}` of every JSON document.
Json machine_json(const MachineFacts& facts);

// Files of /proc and /sys below a root, which a test replaces by a tree of its own. Thread-safe.
class SystemView {
 public:
  using CountCpus = std::function<int32_t()>;

  SystemView();  // this machine
  SystemView(std::string root, CountCpus affinity_cpus);

  // `path` begins with '/'.
  Result<std::string> read(const std::string& path) const;
  // First line without its end, or "" when the file cannot be read.
  std::string line(const std::string& path) const;
  bool exists(const std::string& path) const;

  MachineFacts machine() const;

 private:
  std::string root_;
  CountCpus affinity_cpus_;
};

}  // namespace stoker
