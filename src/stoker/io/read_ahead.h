// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stoker/core/status.h"
#include "stoker/io/source.h"

namespace stoker::io {

struct ReadSlot;

struct ReaderOptions {
  int threads = 1;        // to begin with
  int most_threads = 16;  // as many as it may grow to while takers wait; the same: fixed
  int buffers = 64;       // samples that are being read, or read and not yet taken
};

struct ReaderStats {
  int64_t taken = 0;   // samples
  int64_t waited = 0;  // takers that came before their sample was there
  int64_t read_by_takers = 0;
  int threads = 0;  // that may read now
};

// Reads samples ahead with threads of its own, in the order in which they are submitted, into
// buffers that are used again: nothing is allocated in the steady state.
//
// submit() never blocks. take() may come in any order and from any thread: a sample that no thread
// has begun is read by the taker itself, so that a full set of buffers cannot stop anybody. The
// number of threads grows while takers wait and shrinks while they do not. All functions may be
// called from any thread; the source must outlive it.
class Reader {
 private:
  struct State;

 public:
  // One sample that was read; gives its buffer back when it goes. Must not outlive the Reader.
  class Sample {
   public:
    Sample() = default;
    Sample(Sample&& other) noexcept;
    Sample& operator=(Sample&& other) noexcept;
    ~Sample();

    // Of the read; the entry of the index is empty when only that could not be read.
    const Status& status() const;
    std::span<const uint8_t> bytes() const;
    std::span<const uint8_t> index() const;

   private:
    friend class Reader;
    Sample(State* state, ReadSlot* slot) : state_(state), slot_(slot) {}

    State* state_ = nullptr;
    ReadSlot* slot_ = nullptr;
  };

  explicit Reader(const Source& source, const ReaderOptions& options = {});
  ~Reader();  // waits for the reads that are under way
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // `ticket` is any number that is not in use: submitted, and neither taken nor cancelled.
  void submit(uint64_t ticket, int64_t sample);
  // Waits until it is read. InvalidArgument as its status: the ticket was not submitted, or was
  // cancelled meanwhile.
  Sample take(uint64_t ticket);
  // Forgets all tickets. Does not wait: reads that are under way end by themselves.
  void cancel();

  ReaderStats stats() const;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace stoker::io
