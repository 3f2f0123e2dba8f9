// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stoker/io/source.h"

namespace stoker::io {

// Samples of tar files in the layout of WebDataset, in the order of the files and of their members.
// What belongs to a sample, and what is refused, is said at scan_shard(); damage is in warnings().
// Headers are read when it is opened, and kept in the cache. Throws Error with a hint.
std::unique_ptr<Source> make_tar_source(const std::vector<std::string>& paths,
                                        const SourceOptions& options = {});

// Is it a folder of tar files: at least one "*.tar" (in any case) and no sub-folder?
bool is_tar_folder(const std::string& path);

}  // namespace stoker::io
