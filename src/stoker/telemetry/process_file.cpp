// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/process_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "stoker/telemetry/layout.h"

namespace stoker::telemetry {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;

// A whole file, mapped for reading.
class Mapping {
 public:
  static Result<Mapping> open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info{};
    if (fd < 0 || fstat(fd, &info) != 0) {
      const int error = errno;
      if (fd >= 0) {
        ::close(fd);
      }
      return Status{ErrorCode::IoError, fmt::format("{}: {}", path, std::strerror(error))};
    }
    const auto bytes = static_cast<size_t>(info.st_size);
    void* memory = bytes == 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
    ::close(fd);
    if (memory == MAP_FAILED) {
      return Status{ErrorCode::Corrupt, fmt::format("{}: cannot be mapped", path)};
    }
    return Mapping(memory, bytes);
  }
  ~Mapping() {
    if (memory_ != nullptr) {
      munmap(memory_, bytes_);
    }
  }
  Mapping(Mapping&& other) noexcept : memory_(other.memory_), bytes_(other.bytes_) {
    other.memory_ = nullptr;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  Mapping& operator=(Mapping&&) = delete;

  [[nodiscard]] size_t bytes() const { return bytes_; }
  [[nodiscard]] const layout::Common& common() const {
    return *static_cast<const layout::Common*>(memory_);
  }
  [[nodiscard]] const layout::Steps& steps() const {
    const void* second_page = static_cast<const char*>(memory_) + layout::kPageBytes;
    return *static_cast<const layout::Steps*>(second_page);
  }

 private:
  Mapping(void* memory, size_t bytes) : memory_(memory), bytes_(bytes) {}
  void* memory_;
  size_t bytes_;
};

bool is_whole(const Mapping& map) {
  if (map.bytes() < layout::kWorkerBytes || map.common().ready.load(memory_order_acquire) != 1) {
    return false;
  }
  const layout::Common& common = map.common();
  const bool main = common.role == static_cast<int32_t>(Role::Main);
  return common.magic == layout::kMagic && common.version == layout::kVersion &&
         map.bytes() == (main ? layout::kMainBytes : layout::kWorkerBytes);
}

LoaderWork read_work(const layout::Common& common) {
  LoaderWork work{.processes = 1,
                  .batches = common.batches.load(memory_order_relaxed),
                  .samples = common.batch_samples.load(memory_order_relaxed)};
  for (size_t i = 0; i < work.stage_ns.size(); ++i) {
    work.stage_ns[i] = common.stage_ns[i].load(memory_order_relaxed);
  }
  for (size_t i = 0; i < work.counters.size(); ++i) {
    work.counters[i] = common.counters[i].load(memory_order_relaxed);
  }
  return work;
}

StepRecord read_step(const layout::Step& entry) {
  StepRecord step;
  step.start_ns = entry.start_ns.load(memory_order_acquire);
  for (size_t i = 0; i < step.phase_ns.size(); ++i) {
    step.phase_ns[i] = entry.phase_ns[i].load(memory_order_acquire);
  }
  return step;
}

// Copies the newest entries of a ring, and drops those that the writer may have reached meanwhile.
template <class Entry, size_t kSize, class Read>
auto read_ring(const std::array<Entry, kSize>& ring, const std::atomic<int64_t>& written,
               Read read) {
  constexpr auto kCapacity = static_cast<int64_t>(kSize);
  const int64_t end = std::max<int64_t>(0, written.load(memory_order_acquire));
  const int64_t begin = std::max<int64_t>(0, end - kCapacity);
  std::vector<decltype(read(ring[0]))> out;
  out.reserve(static_cast<size_t>(end - begin));
  for (int64_t i = begin; i < end; ++i) {
    out.push_back(read(ring[static_cast<size_t>(i % kCapacity)]));
  }
  // Entry `now` may be half written, in the place of the one a whole ring before it.
  const int64_t now = written.load(memory_order_acquire);
  const int64_t gone = std::clamp<int64_t>(now + 1 - kCapacity - begin, 0, end - begin);
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(gone));
  return out;
}

StepData read_steps(const layout::Steps& map) {
  StepData data;
  data.steps = map.steps.load(memory_order_acquire);
  data.samples = map.samples.load(memory_order_relaxed);
  data.first_step_ns = map.first_step_ns.load(memory_order_relaxed);
  data.last_end_ns = map.last_end_ns.load(memory_order_relaxed);
  data.saw = map.saw.load(memory_order_relaxed);
  data.overhead_us = map.overhead_us.load(memory_order_relaxed);
  data.step = Spread::of(map.step);
  std::transform(map.phases.begin(), map.phases.end(), data.phases.begin(), Spread::of);
  std::transform(map.device.begin(), map.device.end(), data.device.begin(), Spread::of);
  data.pause_count = map.pauses.load(memory_order_relaxed);
  data.pause_ns = map.pause_ns.load(memory_order_relaxed);
  data.pause_worker_start_ns = map.pause_worker_start_ns.load(memory_order_relaxed);
  data.pause_lever_work_ns = map.pause_lever_work_ns.load(memory_order_relaxed);
  data.recent = read_ring(map.step_ring, map.steps, read_step);
  data.pauses = read_ring(map.pause_ring, map.pauses, [](const layout::Pause& entry) {
    return PauseRecord{.start_ns = entry.start_ns.load(memory_order_acquire),
                       .length_ns = entry.length_ns.load(memory_order_acquire),
                       .worker_start_ns = entry.worker_start_ns.load(memory_order_acquire),
                       .lever_work_ns = entry.lever_work_ns.load(memory_order_acquire),
                       .batches = entry.batches.load(memory_order_acquire)};
  });
  return data;
}

}  // namespace

Result<ProcessData> read_process_file(const std::string& path) {
  const Result<Mapping> map = Mapping::open(path);
  if (!map.ok()) {
    return map.status();
  }
  if (!is_whole(*map)) {
    return Status{ErrorCode::Corrupt, fmt::format("{}: not a whole process file", path)};
  }
  const layout::Common& common = map->common();
  ProcessData data;
  data.info = {.pid = common.pid,
               .role = static_cast<Role>(common.role),
               .rank = common.rank,
               .world_size = common.world_size};
  data.created_wall_ns = common.created_wall_ns;
  data.created_monotonic_ns = common.created_monotonic_ns;
  data.work = read_work(common);
  if (data.info.role == Role::Main) {
    data.steps = read_steps(map->steps());
  }
  return data;
}

}  // namespace stoker::telemetry
