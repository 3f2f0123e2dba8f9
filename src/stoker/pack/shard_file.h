// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "stoker/core/status.h"
#include "stoker/io/file.h"

namespace stoker::pack {

// An exclusive lock on a file, held until the end of the object or of the process. Throws Error.
class FileLock {
 public:
  // `wait`: until others are done; otherwise is_held() tells. The file is made where it is missing.
  FileLock(const std::string& path, bool wait);
  bool is_held() const { return file_.is_open(); }
  int fd() const { return file_.get(); }

 private:
  io::FileHandle file_;
};

// A file that shows up under its name when it is whole and on the disk. Until then it is
// "FOLDER/.NAME.part", which the next try writes anew; a lock keeps two processes apart.
class ShardFile {
 public:
  // Throws Error (IoError) where it cannot be written, or another process is writing it.
  explicit ShardFile(std::string path);
  ~ShardFile();  // without publish(): nothing is left behind
  ShardFile(const ShardFile&) = delete;
  ShardFile& operator=(const ShardFile&) = delete;

  Status write(std::span<const uint8_t> bytes);
  uint64_t written_bytes() const { return written_bytes_; }
  Status publish();

 private:
  std::string path_;
  std::string temporary_;
  FileLock lock_;
  uint64_t written_bytes_ = 0;
  bool published_ = false;
};

}  // namespace stoker::pack
