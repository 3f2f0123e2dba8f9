// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stoker::pack {

// How many samples were treated otherwise than the rest, and why.
class CountByReason {
 public:
  void add(const std::string& reason, int64_t count = 1) { counts_[reason] += count; }
  void add(const CountByReason& other) {
    for (const auto& [reason, count] : other.counts_) {
      add(reason, count);
    }
  }
  int64_t total() const;
  // The most frequent first.
  std::vector<std::pair<std::string, int64_t>> sorted() const;
  // "12 progressive, 3 restart markers"
  std::string text() const;

 private:
  std::map<std::string, int64_t> counts_;
};

}  // namespace stoker::pack
