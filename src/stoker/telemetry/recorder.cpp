// SPDX-License-Identifier: Apache-2.0
#include "stoker/telemetry/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "stoker/core/clock.h"
#include "stoker/telemetry/layout.h"
#include "stoker/telemetry/step_tracker.h"

namespace stoker::telemetry {
namespace {

using layout::bump;
using std::memory_order_relaxed;
using std::memory_order_release;

int64_t wall_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Status system_error(const std::string& what, const std::string& path, int error) {
  return {ErrorCode::IoError, fmt::format("{} {}: {}", what, path, std::strerror(error))};
}

// The file's memory; unmapped by the Recorder.
Result<void*> map_new_file(const std::string& path, size_t bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) {
    return system_error("cannot create", path, errno);
  }
  const int full = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  if (full != 0) {
    ::close(fd);
    ::unlink(path.c_str());
    return system_error("cannot reserve space for", path, full);
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  ::close(fd);
  if (memory == MAP_FAILED) {
    ::unlink(path.c_str());
    return system_error("cannot map", path, error);
  }
  return memory;
}

void write_common(layout::Common& common, const ProcessInfo& info, size_t bytes) {
  common.magic = layout::kMagic;
  common.version = layout::kVersion;
  common.pid = info.pid;
  common.role = static_cast<int32_t>(info.role);
  common.rank = info.rank;
  common.world_size = info.world_size;
  common.bytes = static_cast<uint32_t>(bytes);
  common.created_wall_ns = wall_ns();
  common.created_monotonic_ns = now_ns();
  common.ready.store(1, memory_order_release);
}

// Writes steps and pauses into the map. A ring's entry is whole before its number counts it, and
// whoever sees a part of the next entry sees the number of this one (release, here and there).
class MapSink final : public StepSink {
 public:
  explicit MapSink(layout::Steps* steps) : steps_(steps) {}

  void on_step(const StepRecord& step) override {
    const int64_t number = steps_->steps.load(memory_order_relaxed);
    const int64_t length = step.length_ns();
    layout::Step& entry = steps_->step_ring[static_cast<size_t>(number) % layout::kStepRing];
    entry.start_ns.store(step.start_ns, memory_order_release);
    for (size_t i = 0; i < step.phase_ns.size(); ++i) {
      entry.phase_ns[i].store(step.phase_ns[i], memory_order_release);
    }
    if (number == 0) {
      steps_->first_step_ns.store(step.start_ns, memory_order_relaxed);
    }
    steps_->last_end_ns.store(step.start_ns + length, memory_order_relaxed);
    bump(steps_->loader_samples, step.samples);
    if (number >= layout::kWarmupSteps) {
      steps_->step.add(length);
      for (size_t i = 0; i < step.phase_ns.size(); ++i) {
        steps_->phases[i].add(step.phase_ns[i]);
      }
      bump(steps_->samples, step.samples);
    }
    steps_->steps.store(number + 1, memory_order_release);
  }

  void on_pause(const PauseRecord& pause) override {
    const int64_t number = steps_->pauses.load(memory_order_relaxed);
    layout::Pause& entry = steps_->pause_ring[static_cast<size_t>(number) % layout::kPauseRing];
    entry.start_ns.store(pause.start_ns, memory_order_release);
    entry.length_ns.store(pause.length_ns, memory_order_release);
    entry.worker_start_ns.store(pause.worker_start_ns, memory_order_release);
    entry.lever_work_ns.store(pause.lever_work_ns, memory_order_release);
    entry.batches.store(pause.batches, memory_order_release);
    bump(steps_->pause_ns, pause.length_ns);
    bump(steps_->pause_worker_start_ns, pause.worker_start_ns);
    bump(steps_->pause_lever_work_ns, pause.lever_work_ns);
    steps_->pauses.store(number + 1, memory_order_release);
  }

 private:
  layout::Steps* steps_;
};

}  // namespace

struct Recorder::Impl {
  Impl(void* mapped, size_t mapped_bytes, const ProcessInfo& info)
      : memory(mapped), bytes(mapped_bytes), common(new(mapped) layout::Common) {
    if (info.role == Role::Main) {
      steps = new (static_cast<char*>(mapped) + layout::kPageBytes) layout::Steps;
    }
    sink = MapSink(steps);
    write_common(*common, info, bytes);
  }
  ~Impl() { munmap(memory, bytes); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void saw(layout::Saw hook) {
    const int64_t before = steps->saw.load(memory_order_relaxed);
    if ((before & hook) == 0) {
      steps->saw.store(before | hook, memory_order_relaxed);
    }
  }

  void* memory;
  size_t bytes;
  layout::Common* common;
  layout::Steps* steps = nullptr;  // null in a worker, whose steps are nobody's
  MapSink sink{nullptr};
  StepTracker tracker{sink};
};

Recorder::Recorder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Recorder::~Recorder() = default;

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path,
                                                   const ProcessInfo& info) {
  const size_t bytes = info.role == Role::Main ? layout::kMainBytes : layout::kWorkerBytes;
  const Result<void*> memory = map_new_file(path, bytes);
  if (!memory.ok()) {
    return memory.status();
  }
  return std::unique_ptr<Recorder>(new Recorder(std::make_unique<Impl>(*memory, bytes, info)));
}

void Recorder::loader_start_begin(int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->tracker.loader_start_begin(now_ns);
  }
}

void Recorder::loader_start_end(int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->tracker.loader_start_end(now_ns);
  }
}

void Recorder::lever_work_begin(int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->tracker.lever_work_begin(now_ns);
  }
}

void Recorder::lever_work_end(int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->tracker.lever_work_end(now_ns);
  }
}

void Recorder::next_begin(uint64_t loader, int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->saw(layout::kSawLoader);
    impl_->tracker.next_begin(loader, now_ns);
  }
}

void Recorder::next_end(uint64_t loader, int64_t samples, int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->tracker.next_end(loader, samples, now_ns);
  }
}

void Recorder::forward_begin(int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->saw(layout::kSawForward);
    impl_->tracker.forward_begin(now_ns);
  }
}

void Recorder::backward_begin(int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->saw(layout::kSawBackward);
    impl_->tracker.backward_begin(now_ns);
  }
}

void Recorder::backward_end(int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->tracker.backward_end(now_ns);
  }
}

void Recorder::optimizer_begin(uint64_t /*optimizer*/, int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->saw(layout::kSawOptimizer);
    impl_->tracker.optimizer_begin(now_ns);
  }
}

void Recorder::optimizer_end(uint64_t optimizer, int64_t now_ns) {
  if (impl_->steps != nullptr) {
    impl_->tracker.optimizer_end(optimizer, now_ns);
  }
}

int64_t Recorder::step_number() const {
  return impl_->steps == nullptr ? 0 : impl_->tracker.step_number();
}

void Recorder::device_step(int64_t forward_ns, int64_t backward_ns, int64_t optimizer_ns,
                           int64_t exposed_stall_ns, int64_t step_ns) {
  if (impl_->steps == nullptr) {
    return;
  }
  const std::array<int64_t, layout::kDeviceSeries> times = {forward_ns, backward_ns, optimizer_ns,
                                                            exposed_stall_ns, step_ns};
  if (impl_->steps->device_steps.load(memory_order_relaxed) >= layout::kWarmupSteps) {
    for (size_t i = 0; i < times.size(); ++i) {
      impl_->steps->device[i].add(std::max<int64_t>(0, times[i]));
    }
  }
  bump(impl_->steps->device_steps, 1);
}

void Recorder::add_stage(Stage stage, int64_t ns) {
  const auto i = static_cast<size_t>(stage);
  bump(impl_->common->stage_ns[i], ns);
  bump(impl_->common->stage_count[i], 1);
}

void Recorder::add_batch(int64_t samples) {
  bump(impl_->common->batches, 1);
  bump(impl_->common->batch_samples, std::max<int64_t>(0, samples));
}

void Recorder::add(Counter counter, int64_t amount) {
  bump(impl_->common->counters[static_cast<size_t>(counter)], amount);
}

void Recorder::set_overhead_us_per_step(double us) {
  if (impl_->steps != nullptr) {
    impl_->steps->overhead_us.store(us, memory_order_relaxed);
  }
}

const char* phase_name(Phase phase) {
  static constexpr std::array<const char*, kPhaseCount> kNames = {
      "data_wait", "transfer", "forward", "backward", "optimizer", "sync", "residual"};
  return kNames.at(static_cast<size_t>(phase));
}

const char* stage_name(Stage stage) {
  static constexpr std::array<const char*, kStageCount> kNames = {"read", "decode", "transform",
                                                                  "collate"};
  return kNames.at(static_cast<size_t>(stage));
}

}  // namespace stoker::telemetry
