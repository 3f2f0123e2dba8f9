// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stoker::io {

// Names of the labels 0, 1, ... as `folder`/classes.json has them, an array of texts that
// `stoker data pack` writes. Empty where there is none, or where a label has no name in it.
std::vector<std::string> read_class_names(const std::string& folder,
                                          const std::vector<int32_t>& labels);

}  // namespace stoker::io
