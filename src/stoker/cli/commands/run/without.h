// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stoker/core/process_paths.h"

namespace stoker::cli {

// What --without named, checked against the levers of the Python package. Throws Error for an id
// that none of them has. Without a package nothing is checked: then no lever is applied anyway.
std::vector<std::string> levers_left_out(const std::vector<std::string>& named,
                                         const ProcessPaths& paths);

}  // namespace stoker::cli
