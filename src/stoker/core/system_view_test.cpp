// SPDX-License-Identifier: Apache-2.0
#include "stoker/core/system_view.h"

#include <gtest/gtest.h>

#include "stoker/core/test_tree.h"

namespace stoker {
namespace {

// Two sockets of two cores with two threads each.
std::string cpuinfo() {
  std::string text;
  for (int cpu = 0; cpu < 8; ++cpu) {
    text += "processor\t: " + std::to_string(cpu) + "\nmodel name\t: Quick CPU 9000\n";
    text += "physical id\t: " + std::to_string(cpu / 4) + "\n";
    text += "core id\t\t: " + std::to_string(cpu % 2) + "\n\n";
  }
  return text;
}

MachineFacts facts_of(const TestTree& tree, int32_t affinity = 8) {
  return SystemView(tree.root(), [=] { return affinity; }).machine();
}

TEST(SystemView, PlainMachine) {
  const TestTree tree;
  tree.write("/proc/cpuinfo", cpuinfo());
  tree.write("/proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n");
  tree.write("/proc/sys/kernel/osrelease", "6.1.0-test\n");
  const MachineFacts facts = facts_of(tree, 6);
  EXPECT_EQ(facts.cpu, "Quick CPU 9000");
  EXPECT_EQ(facts.cpus, 8);
  EXPECT_EQ(facts.cores, 4);
  EXPECT_EQ(facts.affinity_cpus, 6);
  EXPECT_FALSE(facts.cgroup_cpus);
  EXPECT_EQ(facts.usable_cpus(), 6);
  EXPECT_EQ(facts.memory_bytes, 2048 * 1024);
  EXPECT_FALSE(facts.memory_limit_bytes);
  EXPECT_EQ(facts.kernel, "6.1.0-test");
  EXPECT_EQ(facts.container, "");
}

TEST(SystemView, CgroupV2TakesTheTightestOnTheWayUp) {
  const TestTree tree;
  tree.write("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  tree.write("/proc/self/cgroup", "0::/kube/pod\n");
  tree.write("/sys/fs/cgroup/kube/pod/cpu.max", "max 100000\n");
  tree.write("/sys/fs/cgroup/kube/cpu.max", "250000 100000\n");
  tree.write("/sys/fs/cgroup/kube/pod/memory.max", "1000000\n");
  tree.write("/sys/fs/cgroup/kube/memory.max", "max\n");
  const MachineFacts facts = facts_of(tree);
  EXPECT_EQ(facts.cgroup_cpus, 2.5);
  EXPECT_EQ(facts.memory_limit_bytes, 1000000);
  EXPECT_EQ(facts.usable_cpus(), 3);
}

TEST(SystemView, CgroupV1) {
  const TestTree tree;
  tree.write("/proc/self/cgroup", "5:memory:/docker/x\n3:cpuset:/\n2:cpu,cpuacct:/docker/x\n");
  // The path is the host's; inside the container the limits are at the mount's root.
  tree.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  tree.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  tree.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const MachineFacts facts = facts_of(tree);
  EXPECT_EQ(facts.cgroup_cpus, 0.5);
  EXPECT_FALSE(facts.memory_limit_bytes);
  EXPECT_EQ(facts.usable_cpus(), 1);
}

TEST(SystemView, CgroupV1WithoutQuota) {
  const TestTree tree;
  tree.write("/proc/self/cgroup", "2:cpu,cpuacct:/\n");
  tree.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  tree.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(facts_of(tree).cgroup_cpus);
}

TEST(SystemView, Containers) {
  const TestTree docker;
  docker.write("/.dockerenv", "");
  EXPECT_EQ(facts_of(docker).container, "docker");
  const TestTree kube;
  kube.write("/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n");
  EXPECT_EQ(facts_of(kube).container, "kubernetes");
}

TEST(SystemView, NothingReadableIsNoFailure) {
  const TestTree tree;
  const MachineFacts facts = facts_of(tree, 0);
  EXPECT_EQ(facts.usable_cpus(), 1);
  EXPECT_EQ(machine_json(facts).dump(-1),
            R"({"cpu":"","cpus":0,"cores":0,"affinity_cpus":0,"cgroup_cpus":null,"usable_cpus":1,)"
            R"("memory_bytes":0,"memory_limit_bytes":null,"kernel":"","container":null})");
}

TEST(SystemView, ThisMachineHasACpu) {
  const MachineFacts facts = SystemView().machine();
  EXPECT_GE(facts.cpus, 1);
  EXPECT_GE(facts.affinity_cpus, 1);
  EXPECT_GT(facts.memory_bytes, 0);
}

}  // namespace
}  // namespace stoker
