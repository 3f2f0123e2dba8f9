// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace stoker {

// XXH3-64.
uint64_t hash_of(std::string_view text);
uint64_t hash_of(std::span<const uint8_t> bytes);

// The same of bytes that come piece by piece. One thread.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  RunningHash(const RunningHash&) = delete;
  RunningHash& operator=(const RunningHash&) = delete;

  void add(std::span<const uint8_t> bytes);
  uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stoker
