// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "stoker/core/status.h"

namespace stoker::io {

// One buffer of a Reader and what is in it.
struct ReadSlot {
  enum class Phase : uint8_t { Free, Reading, Done, Taken };

  Phase phase = Phase::Free;
  bool cancelled = false;  // while Reading: nobody wants it any more
  uint64_t ticket = 0;
  Status status;
  std::vector<uint8_t> bytes, index;
};

// All buffers of a Reader; they are made when needed, never move, and are used again. Its owner
// locks.
class ReadSlots {
 public:
  ReadSlot& take_free() {
    if (free_.empty()) {
      return slots_.emplace_back();
    }
    ReadSlot& slot = *free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(ReadSlot& slot) {
    slot.phase = ReadSlot::Phase::Free;
    slot.cancelled = false;
    if (slot.bytes.capacity() > kMaxKeptBytes) {
      slot.bytes = {};
    }
    free_.push_back(&slot);
  }
  // What is read, or being read, for a ticket.
  ReadSlot* find(uint64_t ticket) {
    for (ReadSlot& slot : slots_) {
      if (slot.ticket == ticket && !slot.cancelled &&
          (slot.phase == ReadSlot::Phase::Reading || slot.phase == ReadSlot::Phase::Done)) {
        return &slot;
      }
    }
    return nullptr;
  }
  std::deque<ReadSlot>& all() { return slots_; }

 private:
  static constexpr size_t kMaxKeptBytes = size_t{16} << 20;  // memory for a huge file is let go

  std::deque<ReadSlot> slots_;
  std::vector<ReadSlot*> free_;  // the last one first: it is still in the processor's cache
};

}  // namespace stoker::io
