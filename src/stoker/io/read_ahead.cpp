// SPDX-License-Identifier: Apache-2.0
#include "stoker/io/read_ahead.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "stoker/io/read_slots.h"
#include "stoker/io/ring.h"

namespace stoker::io {
namespace {

using Phase = ReadSlot::Phase;

constexpr int64_t kWindow = 64;  // samples between looks at the threads
constexpr int64_t kMuchWaiting = kWindow / 8;
constexpr int kCalmWindows = 8;  // before a thread is spared

struct Request {
  uint64_t ticket = 0;
  int64_t sample = 0;
  bool live = false;  // false: a taker has read it itself
};

void start_thread(int number) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), fmt::format("stk-read-{}", number).c_str());
}

}  // namespace

struct Reader::State {
  State(const Source& from, const ReaderOptions& given) : source(from), options(given) {
    options.most_threads = std::max(options.most_threads, 1);
    options.buffers = std::max(options.buffers, 1);
    limit = std::clamp(options.threads, 1, options.most_threads);
    const std::lock_guard lock(mutex);
    start_threads();
  }
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
      work_ready.notify_all();
      parked.notify_all();
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }

  // Requires the lock. Without a thread every taker reads for itself.
  void start_threads() {
    while (threads.size() < static_cast<size_t>(limit)) {
      try {
        const int number = static_cast<int>(threads.size());
        threads.emplace_back([this, number] { work(number); });
      } catch (const std::system_error&) {
        limit = std::max(1, static_cast<int>(threads.size()));
        return;
      }
    }
  }

  void work(int number) {
    start_thread(number);
    std::unique_lock lock(mutex);
    while (!stopping) {
      if (number >= limit) {
        work_ready.notify_one();  // this thread may have been woken in the place of another one
        parked.wait(lock);
        continue;
      }
      drop_dead_requests();
      if (requests.empty() || ahead >= options.buffers) {
        work_ready.wait(lock);
        continue;
      }
      const Request request = requests.front();
      requests.pop_front();
      --live;
      ++ahead;
      ReadSlot& slot = slots.take_free();
      read(lock, slot, request);
      if (slot.cancelled) {
        --ahead;
        slots.give_back(slot);
      } else {
        slot.phase = Phase::Done;
        done.notify_all();
      }
    }
  }

  // Without the lock while it reads.
  void read(std::unique_lock<std::mutex>& lock, ReadSlot& slot, const Request& request) {
    slot.phase = Phase::Reading;
    slot.cancelled = false;
    slot.ticket = request.ticket;
    lock.unlock();
    try {
      slot.index.clear();
      slot.status = source.read(request.sample, slot.bytes);
      if (slot.status.ok() && !source.read_index(request.sample, slot.index).ok()) {
        slot.index.clear();  // only a hint
      }
    } catch (const std::exception& error) {
      slot.status = {ErrorCode::Internal, error.what()};
    }
    lock.lock();
  }

  void drop_dead_requests() {
    while (!requests.empty() && !requests.front().live) {
      requests.pop_front();
    }
  }

  ReadSlot& fail(std::string_view why, uint64_t ticket) {
    ReadSlot& slot = slots.take_free();
    slot.phase = Phase::Taken;
    slot.bytes.clear();
    slot.index.clear();
    slot.status = {ErrorCode::InvalidArgument, fmt::format("ticket {} {}", ticket, why)};
    return slot;
  }

  ReadSlot& take(uint64_t ticket) {
    std::unique_lock lock(mutex);
    ReadSlot* slot = slots.find(ticket);
    const bool waits = slot == nullptr || slot->phase != Phase::Done;
    if (slot == nullptr) {
      slot = read_as_taker(lock, ticket);
      if (slot == nullptr) {
        return fail("was not submitted", ticket);
      }
    }
    const uint64_t era = cancels;
    done.wait(lock, [&] { return slot->phase == Phase::Done || cancels != era; });
    if (cancels != era) {
      return fail("was cancelled", ticket);
    }
    slot->phase = Phase::Taken;
    --ahead;
    if (live > 0) {
      work_ready.notify_one();
    }
    note(waits);
    return *slot;
  }

  ReadSlot* read_as_taker(std::unique_lock<std::mutex>& lock, uint64_t ticket) {
    Request* request =
        requests.find_if([&](const Request& r) { return r.live && r.ticket == ticket; });
    if (request == nullptr) {
      return nullptr;
    }
    const Request own = *request;
    request->live = false;
    --live;
    ++ahead;
    ++stats.read_by_takers;
    ReadSlot& slot = slots.take_free();
    read(lock, slot, own);
    // A cancel() meanwhile does not matter: it is this taker's own.
    slot.cancelled = false;
    slot.phase = Phase::Done;
    return &slot;
  }

  // More threads while takers often come too early and there is something to read for them.
  void note(bool waited) {
    ++stats.taken;
    stats.waited += waited ? 1 : 0;
    window_waits += waited ? 1 : 0;
    if (++window_taken < kWindow) {
      return;
    }
    if (window_waits > kMuchWaiting && live > 0 && limit < options.most_threads) {
      ++limit;
      start_threads();
      parked.notify_all();
    }
    calm_windows = window_waits == 0 ? calm_windows + 1 : 0;
    if (calm_windows == kCalmWindows) {
      calm_windows = 0;
      limit = std::max(limit - 1, std::clamp(options.threads, 1, options.most_threads));
    }
    window_taken = window_waits = 0;
  }

  void cancel() {
    const std::lock_guard lock(mutex);
    ++cancels;
    requests.clear();
    live = 0;
    for (ReadSlot& slot : slots.all()) {
      if (slot.phase == Phase::Done) {
        --ahead;
        slots.give_back(slot);
      } else if (slot.phase == Phase::Reading) {
        slot.cancelled = true;
      }
    }
    done.notify_all();
  }

  const Source& source;
  ReaderOptions options;
  mutable std::mutex mutex;
  std::condition_variable work_ready, parked, done;  // parked: threads beyond the limit
  bool stopping = false;
  Ring<Request> requests;
  int64_t live = 0;  // requests that are to be read
  int ahead = 0;     // samples that are being read, or read and not yet taken
  ReadSlots slots;
  uint64_t cancels = 0;
  int limit = 1;
  int64_t window_taken = 0, window_waits = 0;
  int calm_windows = 0;
  ReaderStats stats;
  std::vector<std::thread> threads;
};

Reader::Sample::Sample(Sample&& other) noexcept
    : state_(other.state_), slot_(std::exchange(other.slot_, nullptr)) {}

Reader::Sample& Reader::Sample::operator=(Sample&& other) noexcept {
  std::swap(state_, other.state_);
  std::swap(slot_, other.slot_);
  return *this;
}

Reader::Sample::~Sample() {
  if (slot_ != nullptr) {
    const std::lock_guard lock(state_->mutex);
    state_->slots.give_back(*slot_);
  }
}

const Status& Reader::Sample::status() const {
  return slot_->status;
}

std::span<const uint8_t> Reader::Sample::bytes() const {
  return slot_->bytes;
}

std::span<const uint8_t> Reader::Sample::index() const {
  return slot_->index;
}

Reader::Reader(const Source& source, const ReaderOptions& options)
    : state_(std::make_unique<State>(source, options)) {}

Reader::~Reader() = default;

void Reader::submit(uint64_t ticket, int64_t sample) {
  const std::lock_guard lock(state_->mutex);
  state_->requests.push_back({ticket, sample, true});
  ++state_->live;
  state_->work_ready.notify_one();
}

Reader::Sample Reader::take(uint64_t ticket) {
  return {state_.get(), &state_->take(ticket)};
}

void Reader::cancel() {
  state_->cancel();
}

ReaderStats Reader::stats() const {
  const std::lock_guard lock(state_->mutex);
  ReaderStats stats = state_->stats;
  stats.threads = state_->limit;
  return stats;
}

}  // namespace stoker::io
