// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stoker::cli {

// The classes of change that a run may make, from what --allow named: always with "exact" first, or
// empty for "none". Throws Error for a word that is no class.
std::vector<std::string> allowed_classes(const std::vector<std::string>& named);

}  // namespace stoker::cli
