// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/allow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "stoker/core/error.h"

namespace stoker::cli {
namespace {

constexpr std::array<std::string_view, 5> kClasses = {"exact", "rounding", "random", "precision",
                                                      "recipe"};
constexpr std::string_view kNone = "none";

}  // namespace

std::vector<std::string> allowed_classes(const std::vector<std::string>& named) {
  const auto has = [&](std::string_view word) {
    return std::find(named.begin(), named.end(), word) != named.end();
  };
  for (const std::string& word : named) {
    if (word != kNone && std::find(kClasses.begin(), kClasses.end(), word) == kClasses.end()) {
      throw Error(ErrorCode::InvalidArgument, fmt::format("--allow {}: no such class", word),
                  fmt::format("expected none, or some of {}", fmt::join(kClasses, ", ")));
    }
  }
  if (has(kNone)) {
    if (named.size() > 1) {
      throw Error(ErrorCode::InvalidArgument, "--allow none excludes every other class",
                  "leave out none, or all others");
    }
    return {};
  }
  std::vector<std::string> out;
  for (const std::string_view known : kClasses) {
    if (known == "exact" || has(known)) {
      out.emplace_back(known);
    }
  }
  return out;
}

}  // namespace stoker::cli
