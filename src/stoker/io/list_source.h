// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stoker/io/source.h"

namespace stoker::io {

// Samples that the caller names: files and their labels, in this order, without a look at them.
// No classes. Throws Error for lists of different or no length, and for paths that no system takes.
//
// Memory: file names, each folder once, and 16 bytes a sample.
std::unique_ptr<Source> make_list_source(const std::vector<std::string>& paths,
                                         std::vector<int64_t> labels,
                                         const SourceOptions& options = {});

}  // namespace stoker::io
