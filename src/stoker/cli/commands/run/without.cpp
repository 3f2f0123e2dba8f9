// SPDX-License-Identifier: Apache-2.0
#include "stoker/cli/commands/run/without.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stoker/core/error.h"
#include "stoker/core/lever.h"

namespace stoker::cli {

std::vector<std::string> levers_left_out(const std::vector<std::string>& named,
                                         const ProcessPaths& paths) {
  const Result<std::string> package = find_python_package(paths);
  if (named.empty() || !package.ok()) {
    return named;
  }
  std::vector<std::string> known;
  for (const LeverFacts& lever : read_levers(*package)) {
    known.push_back(lever.id);
  }
  for (const std::string& id : named) {
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      throw Error(ErrorCode::InvalidArgument, fmt::format("--without {}: no such lever", id),
                  fmt::format("known are {}", fmt::join(known, ", ")));
    }
  }
  return named;
}

}  // namespace stoker::cli
