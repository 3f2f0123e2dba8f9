// SPDX-License-Identifier: Apache-2.0
#include "stoker/pack/count_by_reason.h"

#include <fmt/format.h>

#include <algorithm>

namespace stoker::pack {

int64_t CountByReason::total() const {
  int64_t sum = 0;
  for (const auto& [reason, count] : counts_) {
    sum += count;
  }
  return sum;
}

std::vector<std::pair<std::string, int64_t>> CountByReason::sorted() const {
  std::vector<std::pair<std::string, int64_t>> out(counts_.begin(), counts_.end());
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return out;
}

std::string CountByReason::text() const {
  std::string out;
  for (const auto& [reason, count] : sorted()) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, reason);
  }
  return out;
}

}  // namespace stoker::pack
