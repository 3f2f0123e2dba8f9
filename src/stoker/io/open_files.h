// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "stoker/core/status.h"
#include "stoker/io/file.h"

namespace stoker::io {

// Many files of which a bounded number is open at a time: those that were used last. A file that
// is not the one that `stamps` tells of is refused. Thread-safe; a file stays open while somebody
// holds it.
class OpenFiles {
 public:
  // `most` 0: a quarter of what the process may open, up to 256.
  OpenFiles(std::vector<std::string> paths, std::vector<Stamp> stamps, size_t most = 0);

  Result<std::shared_ptr<const FileHandle>> get(size_t file);
  const std::string& path(size_t file) const { return paths_[file]; }
  size_t open_count() const;

 private:
  struct Entry {
    std::shared_ptr<const FileHandle> handle;
    uint64_t used = 0;
  };

  Result<std::shared_ptr<const FileHandle>> open(size_t file);
  void make_room(size_t most);

  std::vector<std::string> paths_;
  std::vector<Stamp> stamps_;
  size_t most_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;    // by file
  std::vector<uint32_t> opened_;  // those with a handle
  uint64_t clock_ = 0;
};

}  // namespace stoker::io
